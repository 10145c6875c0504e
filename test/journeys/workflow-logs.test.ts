/** What the log tells of runs, read with the client that users have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorkflow } from "@upstash/workflow/cloudflare";
import { eventually } from "../support/eventually.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

interface Step {
  readonly stepName?: string;
  readonly state: string;
  readonly out?: string;
  readonly errors?: readonly Record<string, unknown>[];
  readonly [field: string]: unknown;
}
interface Group {
  readonly type: string;
  readonly steps: readonly Step[];
}
interface Run {
  readonly steps: readonly Group[];
  readonly [field: string]: unknown;
}

workflowJourneys("logs of workflows", {}, (journey) => {
  const runOf = async (runId: string): Promise<Run> => {
    const { runs } = await journey.client.logs({ workflowRunId: runId });
    return runs[0] as unknown as Run;
  };
  test("a run is shown with its steps, their results, and what it returned", async () => {
    const url = journey.serve("/logged", async (context) => {
      const one = await context.run("one", () => "first");
      await Promise.all([context.run("left", () => 1), context.run("right", () => 2)]);
      return `${one} done`;
    });
    const workflowRunId = await journey.run(url, "success", {
      body: "hello",
      label: "mine",
      headers: { "X-Custom-Header": "v" },
    });
    const run = await runOf(workflowRunId);
    assert.deepEqual(outline(run), [
      "sequential: init STEP_SUCCESS",
      "sequential: one STEP_SUCCESS",
      "parallel: left STEP_SUCCESS, right STEP_SUCCESS",
    ]);
    assert.equal(run["workflowState"], "RUN_SUCCESS");
    assert.equal(run["workflowUrl"], url);
    assert.equal(run["workflowRunResponse"], '"first done"');
    assert.equal(run["label"], "mine");
    assert.deepEqual(run["labels"], ["mine"]);
    assert.equal(typeof run["workflowRunCompletedAt"], "number");
    const [init] = run.steps[0]!.steps;
    assert.equal(init?.out, "hello");
    const headers = init?.["headers"] as Record<string, string[]>;
    assert.deepEqual(headers["X-Custom-Header"], ["v"]);
    assert.deepEqual(headers["Upstash-Workflow-Sdk-Version"], ["1"]);
    assert.equal(run.steps[1]?.steps[0]?.out, '"first"');
    assert.deepEqual(
      run.steps[2]?.steps.map(({ stepId, out }) => [stepId, out]),
      [
        [2, "1"],
        [3, "2"],
      ],
    );
  });

  test("a failed run shows its error, its dead letter and its failure function", async () => {
    const url = journey.serve(
      "/broken",
      async (context) => {
        await context.run("breaks", () => {
          throw new Error("no luck");
        });
      },
      { failureFunction: () => "response" },
    );
    const workflowRunId = await journey.run(url, "failed", { retries: 1, retryDelay: "10" });
    const run = await eventually(async () => {
      const found = await runOf(workflowRunId);
      const failure = found["failureFunction"] as Record<string, unknown> | undefined;
      return failure?.["state"] === "CALLBACK_SUCCESS" ? found : null;
    }, "the failure function");
    assert.deepEqual(outline(run), ["sequential: init STEP_SUCCESS", "next: breaks STEP_FAILED"]);
    const [next] = run.steps[1]!.steps;
    assert.deepEqual(
      next?.errors?.map(({ error, status, name, message }) => [error, status, name, message]),
      [
        ["500 Internal Server Error", 500, "Error", "no luck"],
        ["500 Internal Server Error", 500, "Error", "no luck"],
      ],
    );
    const failure = run["failureFunction"] as Record<string, unknown>;
    assert.equal(failure["failStatus"], 500);
    assert.equal(failure["failResponse"], "no luck");
    assert.equal(failure["responseBody"], '{"result":"response"}');
    assert.equal(failure["dlqId"], run["dlqId"]);
    assert.match(String(run["dlqId"]), /^\d+-\d+$/);
  });

  test("a run that sleeps is under way, and cancelled when it is cancelled", async () => {
    const { client } = journey;
    const url = journey.serve("/sleeps", async (context) => {
      await context.sleep("long", 3_600);
    });
    const { workflowRunId } = await client.trigger({ url });
    const asleep = await eventually(async () => {
      const found = await runOf(workflowRunId);
      return found.steps[1]?.type === "sequential" ? found : null;
    }, "the sleep");
    assert.deepEqual(outline(asleep).slice(1), ["sequential: long STEP_PROGRESS"]);
    assert.equal(asleep["workflowState"], "RUN_STARTED");
    assert.equal(asleep["workflowRunCompletedAt"], undefined);
    const { runs } = await client.logs({ state: "RUN_STARTED", workflowUrl: url });
    assert.deepEqual(
      runs.map((run) => run.workflowRunId),
      [workflowRunId],
    );
    assert.deepEqual(await client.cancel({ ids: [workflowRunId] }), { cancelled: 1 });
    await journey.phase(workflowRunId, "canceled");
    const run = await runOf(workflowRunId);
    assert.deepEqual(outline(run).slice(1), ["sequential: long STEP_CANCELED"]);
    assert.equal(run["workflowState"], "RUN_CANCELED");
  });

  test("calls, waits and invoked runs are shown with what they are about", async () => {
    const { endpoint, client, destination } = journey;
    destination.respond = () => ({ status: 201, body: "answered" });
    const child = createWorkflow(async (context) => {
      await context.run("inner", () => 1);
      return "from the child";
    });
    const parent = createWorkflow(async (context) => {
      await context.call("ask", { url: `${destination.url}/third`, method: "POST", body: "hi" });
      await context.invoke("other", { workflow: child, body: "in" });
      await context.waitForEvent("wait", "log-event", { timeout: "1h" });
    });
    const url = journey.serveMany("/kinds", { parent, child });
    const { workflowRunId } = await client.trigger({ url });
    const waiting = await eventually(async () => {
      const found = await runOf(workflowRunId);
      return found.steps.some(({ steps }) => steps[0]?.stepName === "wait") ? found : null;
    }, "the wait");
    assert.deepEqual(outline(waiting), [
      "sequential: init STEP_SUCCESS",
      "sequential: ask STEP_SUCCESS",
      "sequential: other STEP_SUCCESS",
      "sequential: wait STEP_PROGRESS",
    ]);
    const [call] = waiting.steps[1]!.steps;
    assert.equal(call?.["callUrl"], `${destination.url}/third`);
    assert.equal(call?.["callMethod"], "POST");
    assert.equal(call?.["callBody"], "hi");
    assert.equal(call?.["callResponseStatus"], 201);
    assert.equal(call?.["callResponseBody"], "answered");
    const [invoked] = waiting.steps[2]!.steps;
    assert.equal(invoked?.["invokedWorkflowUrl"], `${endpoint.url}/kinds/child`);
    assert.equal(invoked["invokedWorkflowRunBody"], "in");
    const inner = await runOf(String(invoked?.["invokedWorkflowRunId"]));
    const invoker = inner["invoker"] as Record<string, unknown>;
    assert.equal(invoker["workflowRunId"], workflowRunId);
    assert.equal(invoker["workflowUrl"], url);
    const [wait] = waiting.steps[3]!.steps;
    assert.equal(wait?.["waitEventId"], "log-event");
    assert.equal(typeof wait?.["waitTimeoutDeadline"], "number");
    await client.notify({ eventId: "log-event", eventData: "told" });
    await journey.phase(workflowRunId, "success");
    const [woken] = (await runOf(workflowRunId)).steps[3]!.steps;
    assert.equal(woken?.out, "told");
    assert.equal(woken?.["waitTimeout"], false);
  });
});

/** Of each group its type, and of each step its name and state. */
function outline({ steps }: Run): string[] {
  return steps.map(({ type, steps: inside }) => {
    const shown = inside.map(({ stepName, state }) => `${stepName ?? "?"} ${state}`);
    return `${type}: ${shown.join(", ")}`;
  });
}
