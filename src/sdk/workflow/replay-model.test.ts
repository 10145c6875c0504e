/**
 * Random workflows on a service that loses requests, loses answers, repeats and overlaps deliveries
 * and delivers in any order. Each must end as a plain evaluation says, with each step recorded once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { play } from "../../../test/support/play-workflow.ts";
import type { Context } from "../sdk.ts";

type Program =
  | { readonly kind: "run" | "sleep" | "call" | "wait" | "forgotten"; readonly value: number }
  | { readonly kind: "sequence" | "parallel"; readonly parts: readonly Program[] };

const leaf = fc.record({
  kind: fc.constantFrom("run", "run", "run", "sleep", "call", "wait", "forgotten"),
  value: fc.nat(99),
}) as fc.Arbitrary<Program>;

const { program } = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("sequence", "parallel"),
      parts: fc.array(tie("program"), { minLength: 1, maxLength: 4 }),
    }),
  }),
}));

/** What a program returns, and which work it has done, if nothing ever goes wrong. */
function evaluate(part: Program, path: string, work: Set<string>): number {
  switch (part.kind) {
    case "sequence":
    case "parallel": {
      const values = part.parts.map((one, index) => evaluate(one, `${path}.${index}`, work));
      return values.reduce((sum, value) => (sum * 3 + value) % 1_000_003, 1);
    }
    case "run":
    case "forgotten":
      work.add(path);
      return part.kind === "run" ? part.value : 0;
    case "call":
      return part.value;
    case "sleep":
    case "wait":
      return 0;
  }
}

async function interpret(
  context: Context,
  part: Program,
  path: string,
  work: Map<string, number>,
): Promise<number> {
  const perform = (): number => {
    work.set(path, (work.get(path) ?? 0) + 1);
    return "value" in part ? part.value : 0;
  };
  switch (part.kind) {
    case "sequence":
    case "parallel": {
      const values: number[] = [];
      const evaluatePart = (one: Program, index: number): Promise<number> =>
        interpret(context, one, `${path}.${index}`, work);
      if (part.kind === "parallel")
        values.push(...(await Promise.all(part.parts.map(evaluatePart))));
      else
        for (const [index, one] of part.parts.entries())
          values.push(await evaluatePart(one, index));
      return values.reduce((sum, value) => (sum * 3 + value) % 1_000_003, 1);
    }
    case "run":
      return context.run(path, perform);
    case "forgotten":
      void context.run(path, perform);
      return 0;
    case "sleep":
      await context.sleep(path, part.value);
      return 0;
    case "call":
      return (await context.call<number>(path, { url: `https://other.example/${part.value}` }))
        .body;
    case "wait":
      return (await context.waitForEvent(path, path, { timeout: part.value })).timeout ? 0 : 1;
  }
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

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
      // The first step is there in every program: a function without one refuses its request.
      await context.run("begin", () => 0);
      return interpret(context, part, "$", work);
    },
    { ...options, outside: ({ url }) => ({ status: 200, body: url.split("/").at(-1)! }) },
  );
  return { played, work };
}

const WORKFLOWS = Number(process.env["SDK_WORKFLOWS"] ?? 60);

test("random workflows end as they should, whatever is lost, repeated or overlapped", async () => {
  const property = fc.asyncProperty(program, fc.nat(), fc.boolean(), check);
  await fc.assert(property, { numRuns: WORKFLOWS, seed: 20_261_115 });
});
