/** Runs that fail: what their endpoint is told, what is kept, and what is not sent any more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkflowNonRetryableError } from "@upstash/workflow";
import { jsonOf } from "../support/destination-server.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("failing workflows", {}, (journey) => {
  test("the failure function is called with the payload and the last answer", async () => {
    const { endpoint, service } = journey;
    const failures: unknown[] = [];
    const url = journey.serve<{ n: number }>(
      "/fails",
      async (context) => {
        await context.run("breaks", () => {
          throw new Error("no luck");
        });
      },
      {
        failureFunction: ({ context, failStatus, failResponse }) => {
          failures.push([
            context.requestPayload,
            failStatus,
            failResponse,
            context.headers.get("x-own"),
          ]);
          return "seen";
        },
      },
    );
    const workflowRunId = await journey.run(url, "failed", {
      body: { n: 7 },
      retries: 0,
      headers: { "X-Own": "yes" },
    });
    await endpoint.until(() => failures.length === 1);
    assert.deepEqual(failures, [[{ n: 7 }, 500, "no luck", "yes"]]);
    assert.equal(endpoint.to("/fails").length, 2);
    const failure = endpoint.to("/fails")[1];
    const body = jsonOf(failure);
    assert.equal(body["dlqId"], (await service.failedRun(workflowRunId)).dlqId);
    assert.equal(body["workflowRunId"], workflowRunId);
    assert.equal(failure?.headers["upstash-workflow-is-failure"], "true");
    // What failed with its run is not among the messages that failed by themselves.
    assert.deepEqual(await service.deadLetters(), []);
  });

  test("the report of a failure waits under the key that was given for it", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const runId = await service.trigger(`${destination.url}/keyed`, {
      "Svc-Retries": "0",
      "Svc-Flow-Control-Key": "runs",
      "Svc-Flow-Control-Value": "parallelism=2",
      "Svc-Failure-Callback": `${destination.url}/report`,
      "Svc-Failure-Callback-Flow-Control-Key": "reports",
      "Svc-Failure-Callback-Flow-Control-Value": "parallelism=1",
    });
    await journey.phase(runId, "failed");
    const keyOf = async (path: string): Promise<unknown> => {
      const [{ headers }] = await destination.received(path);
      return (await service.log(headers["svc-message-id"] ?? ""))[0]?.["flowControlKey"];
    };
    assert.deepEqual([await keyOf("/keyed"), await keyOf("/report")], ["runs", "reports"]);
    assert.equal((await service.get("/v2/flowControl/runs"))["parallelismMax"], 2);
    assert.equal((await service.get("/v2/flowControl/reports"))["parallelismMax"], 1);
  });

  test("a step is tried again as often as the trigger said", async () => {
    const { endpoint } = journey;
    const retried: number[] = [];
    const url = journey.serve("/retried", async (context) => {
      await context.run("at the third time", () => {
        retried.push(context.retried);
        if (context.retried < 2) throw new Error("not yet");
      });
    });
    await journey.run(url, "success", { retries: 2, retryDelay: "10" });
    assert.deepEqual(retried, [0, 1, 2]);
    assert.equal(endpoint.to("/retried").length, 4);
  });

  test("an error that is not to be tried again fails the run at once", async () => {
    const { endpoint } = journey;
    const url = journey.serve("/hopeless", async (context) => {
      await context.run("hopeless", () => {
        throw new WorkflowNonRetryableError("hopeless");
      });
    });
    await journey.run(url, "failed", { retries: 3 });
    await endpoint.until(() => endpoint.to("/hopeless").length === 2);
  });

  test("an answer that is not a workflow's fails the run at once", async () => {
    const { destination, service } = journey;
    destination.respond = () => ({});
    const workflowRunId = await journey.run(`${destination.url}/no-workflow`, "failed");
    // The same destination is told of the failure.
    await destination.received("/no-workflow", 2);
    const { error } = await service.failedRun(workflowRunId);
    assert.match(String(error), /^detected a non-workflow destination/);
  });

  test("a failing branch ends the others", async () => {
    const { service } = journey;
    const url = journey.serve("/branch", async (context) => {
      await Promise.all([
        context.run("breaks", () => {
          throw new Error("broken");
        }),
        context.sleep("long", 3_600),
      ]);
    });
    const workflowRunId = await journey.run(url, "failed", { retries: 0 });
    const left = await service.select(
      `SELECT message_id FROM messages WHERE run_id = '${workflowRunId}' AND phase = 0`,
    );
    assert.ok(left.length <= 1, "nothing waits but the report of the failure");
  });
});
