/** Answers that are large: what a run, a failure function and a callback get of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { jsonOf } from "../support/destination-server.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

const MEBIBYTE = 1024 * 1024;
const LIMIT = 1.25 * MEBIBYTE;
/** Text that grows when it is escaped: as a step it is submitted escaped twice, and past the limit. */
const WHOLE = `${"x".repeat(1.1 * MEBIBYTE)}${'"\n'.repeat(70_000)}`;
const TOO_LARGE = "x".repeat(LIMIT + 1);

workflowJourneys("large answers", {}, (journey) => {
  /** The outcome of a call to a path, as a run of the public SDK sees it. */
  async function called(path: string): Promise<{ status: number; body: unknown }> {
    const { destination } = journey;
    let seen: { status: number; body: unknown } = { status: 0, body: "" };
    const url = journey.serve(`/to${path}`, async (context) => {
      seen = await context.call(path, { url: `${destination.url}${path}`, retries: 2 });
    });
    await journey.run(url, "success");
    return seen;
  }

  /** The body of a workflow's failure, as its failure callback is told. */
  async function reported(path: string): Promise<Item> {
    const { service, destination } = journey;
    await service.trigger(`${destination.url}${path}`, {
      "Upstash-Retries": "0",
      "Upstash-Failure-Callback": `${destination.url}${path}-report`,
    });
    const [report] = await destination.received(`${path}-report`);
    return JSON.parse(decoded(jsonOf(report)["body"])) as Item;
  }

  test("an answer to a call arrives whole", async () => {
    const { service, destination } = journey;
    await service.limit({ messageBytesMax: LIMIT });
    destination.respond = () => ({ body: WHOLE });
    const { status, body } = await called("/whole");
    assert.equal(status, 200);
    assert.ok(body === WHOLE, "the answer is whole");
  });

  test("an answer past the limit fails the call, at once", async () => {
    const { service, destination } = journey;
    await service.limit({ messageBytesMax: LIMIT });
    destination.respond = () => ({ body: TOO_LARGE });
    const { status, body } = await called("/too-large");
    assert.equal(status, 413);
    const said = (typeof body === "string" ? JSON.parse(body) : body) as Item;
    assert.equal(said["truncated"], true);
    assert.match(String(said["error"]), /larger than 1310720 bytes/);
    assert.equal(destination.to("/too-large").length, 1, "it is not called again");
  });

  test("a failure body arrives whole, and one past the limit says that it is cut", async () => {
    const { service, destination } = journey;
    await service.limit({ messageBytesMax: LIMIT });
    const version = { "Upstash-Workflow-Sdk-Version": "1" };
    destination.respond = ({ url }) => {
      if (url.endsWith("-report")) return {};
      const message = url === "/fails" ? "m".repeat(LIMIT - 1_000) : TOO_LARGE;
      const body = JSON.stringify({ error: "Error", message });
      return { status: 500, headers: version, body };
    };
    const failures = [await reported("/fails"), await reported("/fails-too-large")];
    assert.equal(String(failures[0]!["message"]).length, LIMIT - 1_000);
    assert.equal(failures[0]!["truncated"], undefined);
    assert.equal(failures[1]!["truncated"], true);
    assert.match(String(failures[1]!["error"]), /larger than 1310720 bytes/);
    assert.match(String(failures[1]!["message"]), /"message":"xxx/);
  });

  test("a failure body keeps the message of an error whose stack is past the limit", async () => {
    const { service, destination } = journey;
    await service.limit({ messageBytesMax: LIMIT });
    const message = "m".repeat(LIMIT / 2);
    destination.respond = ({ url }) => {
      if (url.endsWith("-report")) return {};
      // As the public SDK answers: the message by itself, and again as the beginning of the stack.
      const body = JSON.stringify({ error: "Error", message, stack: `Error: ${message}\n at x` });
      return { status: 500, headers: { "Upstash-Workflow-Sdk-Version": "1" }, body };
    };
    const failure = await reported("/long-stack");
    assert.ok(failure["message"] === message, "the message is whole");
    assert.equal(failure["truncated"], true);
    assert.match(String(failure["error"]), /larger than 1310720 bytes/);
  });

  test("a callback has the answer whole, or says that it is cut; so do log and dead letter", async () => {
    const { service, destination } = journey;
    await service.limit({ messageBytesMax: LIMIT });
    destination.respond = ({ url }) => {
      if (url === "/callback") return {};
      return { status: url === "/good" ? 200 : 400, body: url === "/good" ? WHOLE : TOO_LARGE };
    };
    const headers = { "Svc-Callback": `${destination.url}/callback`, "Svc-Retries": "0" };
    const good = await service.publish(`${destination.url}/good`, headers);
    const [first] = await destination.received("/callback");
    const told = jsonOf(first);
    assert.ok(decoded(told["body"]) === WHOLE, "the answer is whole");
    assert.equal(told["truncated"], undefined);
    const entry = (await service.logUntil(good, "DELIVERED")).at(-1)!;
    assert.equal(entry["responseBodyTruncated"], true);
    assert.ok(WHOLE.startsWith(decoded(entry["responseBody"])));

    await service.publish(`${destination.url}/bad`, headers);
    const cut = jsonOf((await destination.received("/callback", 2))[1]);
    assert.equal(cut["status"], 400);
    assert.equal(decoded(cut["body"]).length, LIMIT);
    assert.equal(cut["truncated"], true);
    const [letter] = await service.deadLettersUntil(1);
    assert.equal(letter!["responseBodyTruncated"], true);
    assert.equal(String(letter!["responseBody"]).length, MEBIBYTE);
  });

  test("a step may be six times as large as a message, and nothing else may", async () => {
    const { service, destination } = journey;
    const most = 64 * 1024;
    await service.limit({ messageBytesMax: most });
    destination.respond = () => ({});
    const url = `${destination.url}/steps`;
    const start = { "Svc-Workflow-RunId": "steps", "Svc-Workflow-Init": "true" };
    const submit = (step: number, bytes: number, more = {}) => {
      const head = `{"stepId":${step},"stepName":"s","stepType":"Run","out":"`;
      const headers = { ...start, "Svc-Workflow-Init": "false", ...more };
      const body = `${head}${"x".repeat(bytes - head.length - 2)}"}`;
      return { headers, body };
    };
    const publish = (options: { headers: Record<string, string>; body: string }) =>
      service.call("POST", `/v2/publish/${url}`, options);
    const batch = async (options: { headers: Record<string, string>; body: string }) =>
      service.call("POST", "/v2/batch", {
        body: JSON.stringify([{ destination: url, ...options }]),
      });
    for (const [index, send] of [publish, batch].entries()) {
      const tooMuch = { headers: { ...start, "Svc-Workflow-RunId": `no-${index}` } };
      assert.equal((await send({ ...tooMuch, body: "x".repeat(most + 1) })).status, 412);
      if (index === 0) assert.equal((await send({ headers: start, body: "payload" })).status, 200);
      assert.equal((await send(submit(index + 1, 6 * most))).status, 200);
      assert.equal((await send(submit(index + 3, 6 * most + 1))).status, 412);
      const call = { "Svc-Workflow-CallType": "toCallback", "Svc-Callback": url };
      assert.equal((await send(submit(index + 5, most + 1, call))).status, 412);
    }
  });
});

function decoded(base64: unknown): string {
  return Buffer.from(String(base64), "base64").toString();
}
