/**
 * A run of many steps side by side, with the public SDK as it is. WIDE_RUN_BRANCHES says how many;
 * `npm run prove` has 200.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { workflowJourneys } from "../support/workflow-journeys.ts";

const BRANCHES = Number(process.env["WIDE_RUN_BRANCHES"] ?? 25);
/** Calls of the endpoint within which something must have come of patience. */
const CALLS_AT_ONCE = 50;

workflowJourneys("wide runs", {}, (journey) => {
  test(`${BRANCHES} steps of @upstash/workflow side by side are each done and joined once`, async () => {
    const { endpoint, client } = journey;
    const joined: number[] = [];
    const url = journey.serve("/wide", async (context) => {
      const branches = Array.from({ length: BRANCHES }, (_, n) =>
        context.run(`branch ${n}`, () => n),
      );
      const results = await Promise.all(branches);
      const sum = results.reduce((one, other) => one + other, 0);
      return context.run("join", () => joined.push(sum) && sum);
    });
    const { workflowRunId } = await client.trigger({ url });
    for (let count = 0; count < 2 * BRANCHES; count += CALLS_AT_ONCE) {
      await endpoint.until(() => endpoint.calls.length >= count);
    }
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(joined, [(BRANCHES * (BRANCHES - 1)) / 2]);
    // The payload, a plan and a result of each, and the join.
    assert.equal(await journey.entries(workflowRunId), 2 + 2 * BRANCHES);
  });
});
