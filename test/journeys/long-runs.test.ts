/**
 * Runs of many steps, and of many steps side by side. Each call carries every earlier step, so that
 * LONG_RUNS=full, as in `npm run prove`, takes four times the processor time.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { serve } from "../../sdk/src/adapters/express.ts";
import type { NodeHandler } from "../../sdk/src/adapters/node-request.ts";
import { type Context, Receiver } from "../../sdk/src/sdk.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

const isFull = process.env["LONG_RUNS"] === "full";
const STEPS = isFull ? 1_000 : 300;
const BRANCHES = isFull ? 200 : 60;
/** Calls of the endpoint within which something must have come of patience. */
const CALLS_AT_ONCE = 50;

sdkJourneys("long runs", {}, (journey) => {
  let calls = 0;
  let handler: NodeHandler | undefined;
  // Deliveries of long runs add up to much, so that they are not kept as others are.
  const server = createServer((request, response) => {
    calls += 1;
    void handler?.(request, response);
  });
  before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  after(() => server.close());

  /** Runs a workflow to its end, and answers the id of its run. */
  async function play(workflow: (context: Context) => Promise<unknown>, wanted: number) {
    const { url: baseUrl, token, credentials } = journey.service;
    const receiver = new Receiver(credentials);
    handler = serve(workflow, { client: { baseUrl, token }, receiver });
    calls = 0;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { workflowRunId } = await journey.sdk.workflow.trigger({ url });
    for (let count = 0; count < wanted; count += CALLS_AT_ONCE) {
      await journey.endpoint.until(() => calls >= count);
    }
    await journey.phase(workflowRunId, "success");
    return workflowRunId;
  }

  test(`a run of ${STEPS} steps finishes with every result`, async () => {
    const done: number[] = [];
    const runId = await play(async (context) => {
      let sum = 0;
      for (let n = 1; n <= STEPS; n++) sum += await context.run(`step ${n}`, () => did(done, n));
      return sum;
    }, STEPS);
    assert.equal(await journey.result(runId), (STEPS * (STEPS + 1)) / 2);
    assert.equal(done.length, STEPS);
    assert.equal(calls, STEPS + 1);
    assert.equal(await journey.entries(runId), STEPS + 1);
  });

  test(`a run of ${BRANCHES} steps side by side joins them once`, async () => {
    const joined: number[] = [];
    const runId = await play(async (context) => {
      const branches = Array.from({ length: BRANCHES }, (_, n) =>
        context.run(`branch ${n}`, () => n),
      );
      const results = await Promise.all(branches);
      const sum = results.reduce((one, other) => one + other, 0);
      return context.run("join", () => did(joined, sum));
    }, 2 * BRANCHES);
    assert.equal(await journey.result(runId), (BRANCHES * (BRANCHES - 1)) / 2);
    assert.equal(joined.length, 1);
    // The payload, a plan and a result of each, and the join.
    assert.equal(await journey.entries(runId), 2 + 2 * BRANCHES);
  });
});

function did(list: number[], n: number): number {
  list.push(n);
  return n;
}
