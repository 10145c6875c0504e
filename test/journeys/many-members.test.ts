/** JSON with very many members is refused before it is built, wherever it is sent. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { JSON_LIMITS } from "../../src/core/policy/limits/json-scan.ts";
import { journeys } from "../support/journeys.ts";

const REFUSED = /has more than 10000 members/;
const MANY = JSON_LIMITS.membersMax + 1;
const MEMBERS = JSON.stringify(
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`m${index}`, index])),
);
const ELEMENTS = JSON.stringify(Array<number>(MANY).fill(1));

journeys("JSON with many members", {}, (journey) => {
  const headers = { "Svc-Workflow-RunId": "active", "Svc-Workflow-Init": "false" };
  const invoking = {
    "Svc-Workflow-RunId": "child",
    "Svc-Workflow-Init": "true",
    "Svc-Workflow-Invoke": "true",
  };
  let url = "";
  before(async () => {
    url = `${journey.destination.url}/workflow`;
    journey.destination.respond = () => ({ headers: { "Svc-Workflow-Sdk-Version": "1" } });
    await journey.service.trigger(url, { "Svc-Workflow-RunId": "active", "Svc-Delay": "1h" });
  });

  async function refuse(
    method: string,
    path: string,
    status: number,
    body: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { service } = journey;
    const answer = await service.call(method, path, { headers: more, body });
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    assert.match(answer.text, REFUSED, `${method} ${path}`);
  }

  test("in a batch", async () => {
    const item = `"destination":"${url}"`;
    await refuse("POST", "/v2/batch", 400, `[{${item},"headers":${MEMBERS}}]`);
    await refuse("POST", "/v2/batch", 400, `[{${item}},{${item},"body":${ELEMENTS}}]`);
    await refuse("POST", "/v2/batch", 400, `[${ELEMENTS}]`);
    await refuse("POST", "/v2/batch/trigger", 400, `[${MEMBERS}]`);
  });

  test("in a URL group", async () => {
    await refuse("POST", "/v2/topics/many/endpoints", 400, `{"endpoints":${ELEMENTS}}`);
    await refuse("DELETE", "/v2/topics/many/endpoints", 400, `{"endpoints":[${MEMBERS}]}`);
    await refuse("POST", "/v2/topics/many/endpoints", 400, MEMBERS);
    await refuse("PATCH", "/v2/topics/many", 400, `{"headers":${MEMBERS}}`);
  });

  test("in the filters of bulk changes", async () => {
    for (const [method, path] of [
      ["DELETE", "/v2/messages"],
      ["DELETE", "/v2/dlq"],
      ["POST", "/v2/dlq/retry"],
      ["DELETE", "/v2/workflows/runs"],
      ["POST", "/v2/workflows/dlq/restart"],
    ] as const) {
      await refuse(method, path, 400, `{"ids":${ELEMENTS}}`);
    }
  });

  test("in steps, waits and invocations of a workflow", async () => {
    const step = '"stepId":1,"stepName":"s","stepType":"Run","concurrent":1';
    const body = `{${step},"more":${MEMBERS}}`;
    await refuse("POST", `/v2/publish/${url}`, 422, body, headers);
    const item = JSON.stringify([{ destination: url, headers, body }]);
    await refuse("POST", "/v2/batch", 422, item);
    const wait = `{"url":"${url}","timeoutBody":${ELEMENTS}}`;
    await refuse("POST", "/v2/wait/event", 422, wait, headers);
    await refuse("POST", `/v2/publish/${url}`, 422, `{"headers":${MEMBERS}}`, invoking);
  });

  test("bodies that are passed on may have any number", async () => {
    const { service } = journey;
    const later = { "Svc-Delay": "1h" };
    assert.ok(await service.publish(url, later, MEMBERS));
    const sent = await service.batch([{ destination: url, headers: later, body: MEMBERS }]);
    assert.equal(typeof sent[0]?.["messageId"], "string");
    assert.equal(await service.status("POST", "/v2/notify/event", { body: MEMBERS }), 200);
  });

  test("an item of a batch is bounded without its body", async () => {
    const item = { destination: url, headers: { "Svc-Delay": "1h" }, body: "x".repeat(1_000_000) };
    const large = { ...item, body: "x".repeat(200_000), queue: "x".repeat(200_000) };
    const padded = `[${JSON.stringify(item)}${" ".repeat(200_000)}]`;
    for (const body of [JSON.stringify([large]), padded]) {
      const answer = await journey.service.call("POST", "/v2/batch", { body });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /body\[0\]: has more than 131072 bytes besides its longest text/);
    }
    const sent = await journey.service.call("POST", "/v2/batch", { body: JSON.stringify([item]) });
    assert.equal(sent.status, 200, sent.text);
  });
});
