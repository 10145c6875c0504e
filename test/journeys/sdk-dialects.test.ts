/** Workflows written with our own SDK, whose runs are triggered by the public one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NonRetryableError } from "../../sdk/src/sdk.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

sdkJourneys("runs that the public client triggers", {}, (journey) => {
  test("every kind of step comes to its result, with signatures verified", async () => {
    const { client, destination, endpoint, service } = journey;
    destination.respond = () => ({ status: 201, body: '{"id":5}' });
    const child = journey.serve<string>("/child", async (context) =>
      context.run("work", () => `child of ${context.payload}`),
    );
    const url = journey.serve<{ name: string }>("/every", async (context) => {
      const { payload, headers, labels } = context;
      const [hello] = await Promise.all([
        context.run("hello", () => `hello ${payload.name}`),
        context.sleep("rest", 1),
      ]);
      const called = await context.call("call", { url: `${destination.url}/third` });
      const { eventData } = await context.waitForEvent("wait", "dialects", { timeout: "1h" });
      const { body } = await context.invoke("invoke", { url: child, body: "mine" });
      const own = [...headers.keys()].filter((name) => /^(x-own|svc-|upstash-)/.test(name));
      return [hello, called.status, eventData, body, own, labels];
    });
    const { workflowRunId } = await client.trigger({
      url,
      body: { name: "Eva" },
      headers: { "X-Own": "1" },
      label: "moved",
    });
    await endpoint.until(() => destination.to("/third").length === 1);
    await journey.sdk.workflow.notify("dialects", { a: 1 }, { workflowRunId });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(await journey.result(workflowRunId), [
      "hello Eva",
      201,
      { a: 1 },
      "child of mine",
      ["x-own"],
      ["moved"],
    ]);
    const dialects = endpoint
      .to("/every")
      .map(({ headers }) => ["svc-signature" in headers, "upstash-signature" in headers]);
    assert.deepEqual(new Set(dialects.map(String)), new Set(["false,true"]));
    const { runs } = await client.logs({ workflowRunId });
    assert.equal(runs[0]?.workflowState, "RUN_SUCCESS");
    assert.ok(service.logged.every((line) => !line.includes("401")));
  });

  test("steps are answered in the words in which they came", async () => {
    const { client, endpoint } = journey;
    const url = journey.serve("/answers", async (context) => {
      const one = await context.run("one", () => 1);
      return context.run("two", () => one + 1);
    });
    const { workflowRunId } = await client.trigger({ url });
    await journey.phase(workflowRunId, "success");
    assert.equal(await journey.result(workflowRunId), 2);
    const calls = endpoint.to("/answers");
    assert.equal(calls.length, 3);
    assert.ok(calls.every(({ headers }) => headers["upstash-workflow-runid"] === workflowRunId));
  });

  test("what must not be tried again is not, and the failure function hears of it", async () => {
    const { client, endpoint } = journey;
    const heard: unknown[] = [];
    const url = journey.serve(
      "/fails",
      async (context) => {
        await context.run("fail", () => {
          throw new NonRetryableError("no way");
        });
      },
      { onFailure: async ({ message, runId }) => void heard.push([message, runId]) },
    );
    const { workflowRunId } = await client.trigger({ url, failureUrl: url, retries: 3 });
    await journey.phase(workflowRunId, "failed");
    await endpoint.until(() => heard.length === 1);
    assert.deepEqual(heard, [["no way", workflowRunId]]);
    assert.equal(endpoint.to("/fails").length, 2);
  });

  test("a delivery whose signature is wrong is refused", async () => {
    const { endpoint } = journey;
    const url = journey.serve("/signed", async (context) => context.run("one", () => 1));
    for (const signature of [{}, { "Upstash-Signature": "a.b.c" }]) {
      const headers = { "Upstash-Workflow-RunId": "wfr_x", ...signature };
      assert.equal((await fetch(url, { method: "POST", headers, body: "[]" })).status, 401);
    }
    assert.equal(endpoint.to("/signed").length, 2);
  });
});
