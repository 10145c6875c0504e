/** How many runs are in each state, and what the open ones wait for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("counts of runs", {}, (journey) => {
  test("each count is what the list with its filter shows", async () => {
    const { service } = journey;
    const naps = journey.serve("/naps", async (context) => {
      await context.sleep("long nap", 3_600);
    });
    const waits = journey.serve("/waits", async (context) => {
      await context.waitForEvent("wait", "never", { timeout: "2d" });
    });
    const both = journey.serve("/both", async (context) => {
      await Promise.all([
        context.sleep("nap", 3_600),
        context.waitForEvent("wait", "never", { timeout: "2d" }),
      ]);
    });
    const fails = journey.serve("/fails", async (context) => {
      await context.run("fail", () => {
        throw new Error("no");
      });
    });
    const runs = journey.serve("/done", async (context) => context.run("one", () => 1));
    for (const url of [naps, naps, waits, both]) await journey.client.trigger({ url });
    await journey.client.trigger({ url: fails, retries: 3, retryDelay: "3600000" });
    await journey.run(fails, "failed", { retries: 0 });
    for (let nth = 0; nth < 3; nth++) await journey.run(runs, "success");
    const { workflowRunId } = await journey.client.trigger({ url: naps });
    await journey.client.cancel({ ids: [workflowRunId] });
    const counts = await eventually(async () => {
      const { json } = await service.call("GET", "/v2/workflows/counts");
      const { waitingFor, states } = json as unknown as Counts;
      const { STEP_RETRY: retried = 0 } = states;
      const settled = waitingFor.sleep + waitingFor.event + retried;
      return settled === 5 ? (json as unknown as Counts) : null;
    }, "the open runs wait");
    assert.deepEqual(counts, {
      states: { RUN_STARTED: 5, RUN_SUCCESS: 3, RUN_FAILED: 1, RUN_CANCELED: 1, STEP_RETRY: 1 },
      waitingFor: { sleep: 2, event: 2 },
      isAbout: false,
      isOpenAbout: false,
    });
    const listed = async (query: string): Promise<number> =>
      (await service.list(`/v2/workflows/logs?${query}`, "runs")).length;
    for (const [state, count] of Object.entries(counts.states)) {
      assert.equal(await listed(`state=${state}`), count, state);
    }
    for (const [wait, count] of Object.entries(counts.waitingFor)) {
      assert.equal(await listed(`waitingFor=${wait}`), count, wait);
    }
  });

  test("more open runs than are looked at are counted in part", async () => {
    const { service, destination } = journey;
    const batch = Array.from({ length: 210 }, (_, index) => ({
      destination: `${destination.url}/later`,
      headers: { "Svc-Delay": "1h", "Svc-Workflow-RunId": `later-${index}` },
    }));
    await service.call("POST", "/v2/batch/trigger", { body: JSON.stringify(batch) });
    const { json } = await service.call("GET", "/v2/workflows/counts");
    const { states, isAbout, isOpenAbout } = json as unknown as Counts;
    assert.deepEqual([states["RUN_STARTED"], isAbout, isOpenAbout], [215, false, true]);
  });
});

interface Counts {
  readonly states: Readonly<Record<string, number>>;
  readonly waitingFor: { readonly sleep: number; readonly event: number };
  readonly isAbout: boolean;
  readonly isOpenAbout: boolean;
}
