/** Runs as our own client shows them: their log, and those that failed for good. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NotFoundError } from "../../sdk/src/sdk.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";
import { eventually } from "../support/eventually.ts";

sdkJourneys("runs in the client of the SDK", {}, (journey) => {
  test("the log of a run shows its steps, and a loop goes over all runs", async () => {
    const { workflow } = journey.sdk;
    const url = journey.serve<number>("/logged", async (context) => {
      const [a, b] = await Promise.all([context.run("a", () => 1), context.run("b", () => 2)]);
      return context.run("sum", () => a + b + context.payload);
    });
    const triggers = [10, 20, 30].map((body) => ({ url, body, label: `l${body}` }));
    const started = await workflow.trigger(triggers);
    const ids = started.map(({ workflowRunId }) => workflowRunId);
    const runs = await Promise.all(ids.map((id) => workflow.wait(id)));
    assert.deepEqual(
      runs.map(({ workflowState, workflowRunResponse }) => [workflowState, workflowRunResponse]),
      [13, 23, 33].map((sum) => ["RUN_SUCCESS", String(sum)]),
    );
    const groups = runs[0]!.steps.map(({ type, steps }) => [
      type,
      steps.map(({ stepName }) => stepName),
    ]);
    assert.deepEqual(groups, [
      ["sequential", ["init"]],
      ["parallel", ["a", "b"]],
      ["sequential", ["sum"]],
    ]);
    const seen: string[] = [];
    const filter = { workflowUrl: url, count: 1 };
    for await (const { workflowRunId } of await workflow.logs(filter)) seen.push(workflowRunId);
    assert.deepEqual(seen.toSorted(), ids.toSorted());
    const { items } = await workflow.logs({ label: "l20", trimBody: -1 });
    assert.deepEqual(
      items.map(({ workflowRunId }) => workflowRunId),
      [ids[1]],
    );
    assert.equal(await workflow.get("wfr_none"), undefined);
  });

  test("a run that does not end is not waited for without end", async () => {
    const { workflow } = journey.sdk;
    const url = journey.serve("/endless", (context) => context.sleep("long", "1h"));
    const { workflowRunId } = await workflow.trigger({ url });
    await assert.rejects(
      workflow.wait(workflowRunId, { timeout: 0.01 }),
      /has not ended within 0.01 s/,
    );
  });

  test("failed runs are listed, shown and removed", async () => {
    const { workflow } = journey.sdk;
    const url = journey.serve<string>("/dead", (context) =>
      context.run("breaks", () => Promise.reject(new Error("no luck"))),
    );
    const ids: string[] = [];
    for (const body of ["one", "two", "three"]) {
      ids.push(await journey.run(url, "failed", { body, retries: 0, label: body }));
    }
    const { items } = await eventually(async () => {
      const page = await workflow.dlq.list({ workflowUrl: url });
      return page.items.length === 3 ? page : null;
    }, "three failed runs");
    const [first] = items.filter(({ workflowRunId }) => workflowRunId === ids[0]);
    assert.equal(first?.body, "one");
    assert.equal(first.responseStatus, 500);
    assert.equal((await workflow.dlq.get(first.dlqId)).workflowRunId, ids[0]);
    assert.equal((await workflow.get(ids[0]!))?.dlqId, first.dlqId);
    assert.equal((await workflow.dlq.delete(first.dlqId)).deleted, 1);
    await assert.rejects(workflow.dlq.get(first.dlqId), NotFoundError);
    assert.equal((await workflow.dlq.delete({ filter: { label: "two" } })).deleted, 1);
    const [rest] = (await workflow.dlq.list()).items;
    assert.equal((await workflow.dlq.delete([rest!.dlqId])).deleted, 1);
  });
});
