/**
 * Random workflows on a service that loses requests, loses responses, repeats and overlaps
 * deliveries and delivers in any order. Each must end as a plain evaluation says, with each step
 * recorded once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { play } from "../../../test/support/play-workflow.ts";
import {
  evaluate,
  generator,
  interpret,
  program,
  type Program,
} from "../../../test/support/random-workflows.ts";

async function check(part: Program, seed: number, keepsDuplicates: boolean): Promise<void> {
  const done = new Set<string>();
  const expected = evaluate(part, "$", done);
  const calm = await playProgram(part, {});
  const options = { random: generator(seed), faultRate: 0.12, retries: 500, keepsDuplicates };
  const stormy = await playProgram(part, options);
  for (const { played, work } of [calm, stormy]) {
    assert.equal(played.state, "success", JSON.stringify(played.stub.deliveries.at(-1)?.body));
    assert.equal(played.result, expected);
    assert.deepEqual(new Set(work.keys()), done);
  }
  assert.ok([...calm.work.values()].every((count) => count === 1));
  const recorded = stormy.played.run.results;
  const first = recorded.filter(
    (step, index) => recorded.findIndex((one) => one.stepId === step.stepId) === index,
  );
  assert.deepEqual(first, calm.played.run.results);
  if (!keepsDuplicates) assert.equal(first.length, recorded.length);
}

async function playProgram(
  part: Program,
  options: object,
): Promise<{ played: Awaited<ReturnType<typeof play>>; work: Map<string, number> }> {
  const work = new Map<string, number>();
  const played = await play(
    async (context) => {
      // Every program has this first step: a function without one refuses its request.
      await context.run("begin", () => 0);
      return interpret(context, part, "$", { work, outside: "https://other.example" });
    },
    { ...options, outside: ({ url }) => ({ status: 200, body: url.split("/").at(-1)! }) },
  );
  return { played, work };
}

const WORKFLOWS = Number(process.env["SDK_WORKFLOWS"] ?? 60);

test(`${WORKFLOWS} random workflows end as they should, whatever is lost, repeated or overlapped`, async () => {
  const property = fc.asyncProperty(program, fc.nat(), fc.boolean(), check);
  await fc.assert(property, { numRuns: WORKFLOWS, seed: 20_261_115 });
});
