/** Workflows drawn at random, what they do, and what they come to. */
import * as fc from "fast-check";
import type { Context } from "../../sdk/src/sdk.ts";

export type Program =
  | { readonly kind: "run" | "sleep" | "call" | "wait" | "forgotten"; readonly value: number }
  | { readonly kind: "sequence" | "parallel"; readonly parts: readonly Program[] };

const leaf = fc.record({
  kind: fc.constantFrom("run", "run", "run", "sleep", "call", "wait", "forgotten"),
  value: fc.nat(99),
}) as fc.Arbitrary<Program>;

export const { program } = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("sequence", "parallel"),
      parts: fc.array(tie("program"), { minLength: 1, maxLength: 4 }),
    }),
  }),
}));

/** What a program returns, and which work it has done, if nothing ever goes wrong. */
export function evaluate(part: Program, path: string, work: Set<string>): number {
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

interface Surroundings {
  /** How often each work was done. */
  readonly work: Map<string, number>;
  /** Who answers calls, with the last part of the path. */
  readonly outside: string;
}

export async function interpret(
  context: Context,
  part: Program,
  path: string,
  surroundings: Surroundings,
): Promise<number> {
  const { work, outside } = surroundings;
  const perform = (): number => {
    work.set(path, (work.get(path) ?? 0) + 1);
    return "value" in part ? part.value : 0;
  };
  switch (part.kind) {
    case "sequence":
    case "parallel": {
      const values: number[] = [];
      const evaluatePart = (one: Program, index: number): Promise<number> =>
        interpret(context, one, `${path}.${index}`, surroundings);
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
      return (await context.call<number>(path, { url: `${outside}/${part.value}` })).body;
    case "wait":
      return (await context.waitForEvent(path, path, { timeout: part.value })).timeout ? 0 : 1;
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
