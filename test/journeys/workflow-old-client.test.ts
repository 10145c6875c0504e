/** The client of the older line of the public SDK, call by call. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, serve } from "upstash-workflow-0-2";
import { eventually } from "../support/eventually.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("the client of @upstash/workflow 0.2", {}, (journey) => {
  let client: Client;
  let isMended = false;
  let waiting = "";
  let failing = "";

  before(() => {
    const { service, endpoint, serveOptions } = journey;
    client = new Client({ baseUrl: service.url, token: service.token });
    const waits = serve(async (context) => {
      const { eventData } = await context.waitForEvent("wait", "old-event", { timeout: 3_600 });
      return context.run("told", () => eventData);
    }, serveOptions as never);
    waiting = endpoint.serve("/old-waits", waits.handler);
    const fails = serve(
      (context) =>
        context.run("mend", () => {
          if (!isMended) throw new Error("not yet");
          return "mended";
        }),
      { ...serveOptions, failureFunction: () => Promise.resolve("told") },
    );
    failing = endpoint.serve("/old-fails", fails.handler);
  });

  async function startWaiting(): Promise<string> {
    const { workflowRunId } = await client.trigger({ url: waiting, label: "old" });
    await journey.waiters("old-event", 1);
    return workflowRunId;
  }

  test("shows who waits, tells them, and shows the log of the run", async () => {
    const workflowRunId = await startWaiting();
    const [waiter] = await client.getWaiters({ eventId: "old-event" });
    assert.equal(waiter?.url, waiting);
    const [told] = await client.notify({ eventId: "old-event", eventData: { a: 1 } });
    assert.equal(told?.waiter.url, waiting);
    await journey.phase(workflowRunId, "success");
    const { runs } = await client.logs({ workflowRunId });
    assert.equal(runs.length, 1);
    assert.equal(runs[0]?.workflowState, "RUN_SUCCESS");
    assert.equal(runs[0].workflowRunResponse, '{"a":1}');
    const names = runs[0].steps.flatMap(({ steps }) =>
      steps.map((step) => ("stepName" in step ? step.stepName : "")),
    );
    assert.deepEqual(names, ["init", "wait", "told"]);
    const labelled = await client.logs({ label: "old", state: "RUN_SUCCESS", count: 1 });
    assert.equal(labelled.runs[0]?.workflowRunId, workflowRunId);
    assert.deepEqual(await client.getWaiters({ eventId: "old-event" }), []);
  });

  test("cancels runs by their ids, by the beginning of their URL, and all", async () => {
    const first = await startWaiting();
    assert.equal((await client.cancel({ ids: first })).cancelled, 1);
    const second = await startWaiting();
    assert.equal((await client.cancel({ urlStartingWith: `${waiting}x` })).cancelled, 0);
    assert.equal((await client.cancel({ urlStartingWith: waiting })).cancelled, 1);
    const third = await startWaiting();
    assert.equal((await client.cancel({ all: true })).cancelled, 1);
    for (const runId of [first, second, third]) await journey.phase(runId, "canceled");
    assert.equal((await client.cancel({ ids: [first, second] })).cancelled, 0);
  });

  test("lists failed runs, resumes one and restarts another", async () => {
    for (const verb of ["resume", "restart"] as const) {
      isMended = false;
      const { workflowRunId } = await client.trigger({ url: failing, retries: 0 });
      await journey.phase(workflowRunId, "failed");
      const { messages } = await client.dlq.list();
      const letter = messages.find((message) => message.workflowRunId === workflowRunId);
      assert.ok(letter);
      isMended = true;
      const again = await client.dlq[verb]({ dlqId: letter.dlqId, retries: 1 });
      assert.notEqual(again.workflowRunId, workflowRunId);
      await journey.phase(again.workflowRunId, "success");
    }
    assert.deepEqual((await client.dlq.list()).messages, []);
  });

  test("has a failure function called again that has failed itself", async () => {
    const { endpoint, serveOptions } = journey;
    const heard: string[] = [];
    const { handler } = serve(
      (context) =>
        context.run("breaks", () => {
          throw new Error("no luck");
        }),
      {
        ...serveOptions,
        failureFunction: ({ context, failResponse }) => {
          heard.push(`${context.workflowRunId} ${failResponse}`);
          if (heard.length === 1) throw new Error("deaf");
          return Promise.resolve("heard");
        },
      },
    );
    const url = endpoint.serve("/old-deaf", handler);
    const { workflowRunId } = await client.trigger({
      url,
      retries: 0,
      useFailureFunction: true,
      keepTriggerConfig: true,
    });
    const letter = await letterOf(workflowRunId, "CALLBACK_FAIL");
    const again = await client.dlq.retryFailureFunction({ dlqId: letter.dlqId });
    assert.equal(again.workflowRunId, workflowRunId);
    await letterOf(workflowRunId, "CALLBACK_SUCCESS");
    assert.deepEqual(heard, Array(2).fill(`${workflowRunId} no luck`));
    const { runs } = await client.logs({ workflowRunId });
    assert.equal(runs[0]?.failureFunction?.responseBody, '{"result":"heard"}');
  });

  /** The dead letter of a run, once its failure function has come to that state. */
  function letterOf(workflowRunId: string, state: string) {
    return eventually(async () => {
      const { messages } = await client.dlq.list({ count: 100 });
      const found = messages.find((message) => message.workflowRunId === workflowRunId);
      return found?.failureCallbackInfo?.state === state ? found : null;
    }, `${workflowRunId} ${state}`);
  }
});
