/** Failed runs in the dead-letter queue, read with the client that users have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TriggerOptions } from "@upstash/workflow";
import { eventually } from "../support/eventually.ts";
import { type WorkflowJourney, workflowJourneys } from "../support/workflow-journeys.ts";

type Letter = Record<string, unknown>;

workflowJourneys("failed runs", {}, (journey) => {
  test("a failed run is shown with its payload, its last answer and its report", async () => {
    const { client, service, destination } = journey;
    const workflowRunId = await fail(journey, "/shown", {
      body: { n: 7 },
      label: "shown",
      failureUrl: `${destination.url}/report`,
    });
    const letter = await eventually(async () => {
      const { messages } = await client.dlq.list({ filter: { label: "shown" } });
      const found = messages[0] as unknown as Letter;
      return found["failureFunctionState"] === "CALLBACK_SUCCESS" ? found : null;
    }, "the report");
    assert.equal(letter["workflowRunId"], workflowRunId);
    assert.equal(letter["workflowUrl"], `${journey.endpoint.url}/shown`);
    assert.equal(letter["url"], `${journey.endpoint.url}/shown`);
    assert.equal(letter["body"], '{"n":7}');
    assert.equal(letter["responseStatus"], 500);
    assert.match(String(letter["responseBody"]), /no luck/);
    assert.deepEqual(letter["labels"], ["shown"]);
    assert.equal(letter["failureCallback"], `${destination.url}/report`);
    const info = letter["failureCallbackInfo"] as Letter;
    assert.equal(info["state"], "CALLBACK_SUCCESS");
    assert.equal(info["responseStatus"], 200);
    const path = `/v2/workflows/dlq/${letter["dlqId"] as string}`;
    assert.deepEqual(await service.get(path), letter);
    // Plain messages that failed are listed apart.
    assert.deepEqual(await service.deadLetters(), []);
  });

  test("failed runs are found by every filter, page by page", async () => {
    const { service, endpoint } = journey;
    const ids = [await fail(journey, "/many", { label: "many" })];
    ids.unshift(await fail(journey, "/many", { label: "many" }));
    const listed = (query: string) => service.list(`/v2/workflows/dlq?${query}`, "messages");
    const found = async (query: string): Promise<unknown[]> =>
      (await listed(query)).map((letter) => letter["workflowRunId"]);
    const url = encodeURIComponent(`${endpoint.url}/many`);
    assert.deepEqual(await found(`workflowUrl=${url}`), ids);
    assert.deepEqual(await found("label=many"), ids);
    assert.deepEqual(await found("label=many&responseStatus=500"), ids);
    assert.deepEqual(await found("label=many&responseStatus=404"), []);
    assert.deepEqual(await found(`workflowRunId=${ids[1]}`), [ids[1]]);
    assert.deepEqual(await found(`label=many&workflowCreatedAt=1`), []);
    assert.deepEqual(await found("label=many&failureFunctionState=CALLBACK_CANCELED"), []);
    assert.deepEqual(await found("label=many&callerIp=203.0.113.9"), []);
    assert.deepEqual(await found("label=many&flowControlKey=none"), []);
    assert.deepEqual(await found("label=many&toDate=1"), []);
    assert.deepEqual(await found("label=many&order=earliestFirst"), ids.toReversed());
    const first = await service.call("GET", "/v2/dlq?source=workflow&label=many&count=1");
    const cursor = encodeURIComponent(String(first.json["cursor"]));
    assert.deepEqual(await found(`label=many&count=1&cursor=${cursor}`), [ids[1]]);
    const [letter] = await listed("label=many");
    assert.deepEqual(await found(`dlqIds=${letter?.["dlqId"] as string}`), [ids[0]]);
  });

  test("failed runs are removed, one or many", async () => {
    const { client, service } = journey;
    for (let n = 0; n < 3; n += 1) await fail(journey, "/gone", { label: "gone" });
    const { messages } = await client.dlq.list({ filter: { label: "gone" } });
    const path = `/v2/workflows/dlq/${messages[0]!.dlqId}`;
    assert.equal(await service.status("DELETE", path), 200);
    assert.equal(await service.status("DELETE", path), 404);
    assert.equal(await service.status("GET", path), 404);
    assert.equal((await client.dlq.delete([messages[1]!.dlqId])).deleted, 1);
    assert.equal((await client.dlq.delete({ filter: { label: "gone" } })).deleted, 1);
    assert.deepEqual((await client.dlq.list({ filter: { label: "gone" } })).messages, []);
  });

  test("a malformed call is refused by name, and removes nothing", async () => {
    const { service } = journey;
    const bad: readonly [method: string, query: string, names: RegExp][] = [
      ["GET", "failureFunctionState=LOST", /failureFunctionState/],
      ["GET", "count=101", /count/],
      ["GET", "cursor=x", /cursor/],
      ["GET", "workflowCreatedAt=x", /workflowCreatedAt/],
      ["DELETE", "unknown=1", /unknown/],
      ["DELETE", "label=", /label/],
      ["DELETE", "count=0", /count/],
    ];
    for (const [method, query, names] of bad) {
      await service.refused(`${method} /v2/workflows/dlq?${query}`, 400, names);
    }
    assert.equal(await service.status("GET", "/v2/dlq?source=other"), 400);
    assert.ok((await service.list("/v2/workflows/dlq", "messages")).length > 0);
  });
});

/** A run whose only step throws; answers its id once it has failed. */
function fail(
  journey: WorkflowJourney,
  path: string,
  trigger: Omit<TriggerOptions, "url">,
): Promise<string> {
  const url = journey.serve(path, async (context) => {
    await context.run("breaks", () => {
      throw new Error("no luck");
    });
  });
  return journey.run(url, "failed", { retries: 0, ...trigger });
}
