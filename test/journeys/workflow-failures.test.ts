/** Runs that fail: what their endpoint is told, what is kept, and what is not sent any more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve, WorkflowNonRetryableError } from "@upstash/workflow";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("failing workflows", {}, (journey) => {
  test("the failure function is called with the payload and the last answer", async () => {
    const { endpoint, client, serveOptions } = journey;
    const failures: unknown[] = [];
    const { handler } = serve<{ n: number }>(
      async (context) => {
        await context.run("breaks", () => {
          throw new Error("no luck");
        });
      },
      {
        ...serveOptions,
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
    const url = endpoint.serve("/fails", handler);
    const { workflowRunId } = await client.trigger({
      url,
      body: { n: 7 },
      retries: 0,
      headers: { "X-Own": "yes" },
    });
    await journey.phase(workflowRunId, "failed");
    await endpoint.until(() => failures.length === 1);
    assert.deepEqual(failures, [[{ n: 7 }, 500, "no luck", "yes"]]);
    assert.equal(endpoint.to("/fails").length, 2);
    const { service } = journey;
    const [letter] = await service.select(
      `SELECT died_at, number FROM dead_letters WHERE run_id = '${workflowRunId}'`,
    );
    const failure = endpoint.to("/fails")[1]!;
    const body = JSON.parse(failure.body.toString()) as Record<string, unknown>;
    assert.equal(body["dlqId"], `${letter?.["died_at"] as number}-${letter?.["number"] as number}`);
    assert.equal(body["workflowRunId"], workflowRunId);
    assert.equal(failure.headers["upstash-workflow-is-failure"], "true");
    // What failed with its run is not among the messages that failed by themselves.
    const { json } = await service.call("GET", "/v2/dlq");
    assert.deepEqual(json["messages"], []);
  });

  test("the report of a failure waits under the key that was given for it", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const key = { "Svc-Flow-Control-Key": "runs", "Svc-Flow-Control-Value": "parallelism=2" };
    const { json } = await service.call("POST", `/v2/trigger/${destination.url}/keyed`, {
      headers: {
        ...key,
        "Svc-Retries": "0",
        "Svc-Failure-Callback": `${destination.url}/report`,
        "Svc-Failure-Callback-Flow-Control-Key": "reports",
        "Svc-Failure-Callback-Flow-Control-Value": "parallelism=1",
      },
    });
    await journey.phase(json["workflowRunId"] as string, "failed");
    await destination.received("/report");
    const keys = await service.select("SELECT line FROM line_limits ORDER BY line");
    const lines = keys.map((row) => row["line"]);
    assert.ok(lines.includes("k:runs") && lines.includes("k:reports"), JSON.stringify(lines));
  });

  test("a step is tried again as often as the trigger said", async () => {
    const { endpoint, client, serveOptions } = journey;
    const retried: number[] = [];
    const { handler } = serve(async (context) => {
      await context.run("at the third time", () => {
        retried.push(context.retried);
        if (context.retried < 2) throw new Error("not yet");
      });
    }, serveOptions);
    const url = endpoint.serve("/retried", handler);
    const { workflowRunId } = await client.trigger({ url, retries: 2, retryDelay: "10" });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(retried, [0, 1, 2]);
    assert.equal(endpoint.to("/retried").length, 4);
  });

  test("an error that is not to be tried again fails the run at once", async () => {
    const { endpoint, client, serveOptions } = journey;
    const { handler } = serve(async (context) => {
      await context.run("hopeless", () => {
        throw new WorkflowNonRetryableError("hopeless");
      });
    }, serveOptions);
    const url = endpoint.serve("/hopeless", handler);
    const { workflowRunId } = await client.trigger({ url, retries: 3 });
    await journey.phase(workflowRunId, "failed");
    await endpoint.until(() => endpoint.to("/hopeless").length === 2);
  });

  test("an answer that is not a workflow's fails the run at once", async () => {
    const { destination, client, service } = journey;
    destination.respond = () => ({});
    const { workflowRunId } = await client.trigger({ url: `${destination.url}/no-workflow` });
    await journey.phase(workflowRunId, "failed");
    // The same destination is told of the failure.
    await destination.received("/no-workflow", 2);
    const [row] = await service.select(
      `SELECT error FROM dead_letters WHERE run_id = '${workflowRunId}'`,
    );
    assert.match(String(row?.["error"]), /^detected a non-workflow destination/);
  });

  test("a failing branch ends the others", async () => {
    const { endpoint, client, serveOptions, service } = journey;
    const { handler } = serve(async (context) => {
      await Promise.all([
        context.run("breaks", () => {
          throw new Error("broken");
        }),
        context.sleep("long", 3_600),
      ]);
    }, serveOptions);
    const url = endpoint.serve("/branch", handler);
    const { workflowRunId } = await client.trigger({ url, retries: 0 });
    await journey.phase(workflowRunId, "failed");
    const left = await service.select(
      `SELECT message_id FROM messages WHERE run_id = '${workflowRunId}' AND phase = 0`,
    );
    assert.ok(left.length <= 1, "nothing waits but the report of the failure");
  });
});
