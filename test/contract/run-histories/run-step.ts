import * as fc from "fast-check";

export type RunStep = typeof runStep extends fc.Arbitrary<infer Value> ? Value : never;
export type RunActStep = typeof runActStep extends fc.Arbitrary<infer Value> ? Value : never;

export const RUNS = ["a", "b", "c"] as const;
export const EVENTS = ["x", "y"] as const;

const run = fc.constantFrom(...RUNS);
const eventId = fc.constantFrom(...EVENTS);
const stepId = fc.integer({ min: 1, max: 5 });
/** Whether a run is meant that was made earlier, and not the latest of its name. */
const old = fc.oneof(
  { weight: 9, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

export const runActStep = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("start" as const), run }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      run,
      old,
      items: fc.array(
        fc.record({ kind: fc.constantFrom("result" as const, "plan" as const), stepId }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("invoke" as const), run, old, stepId, child: run }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      run,
      old,
      stepId,
      eventId,
      timeoutMs: fc.constantFrom(0, 10, 1_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("notify" as const),
      /** One run, which keeps the event, or all of them. */
      run: fc.option(run),
      eventId,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("time-out" as const), run, old, stepId, eventId }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      run,
      phase: fc.constantFrom("success" as const, "canceled" as const),
    }),
  },
);

export const runStep = fc.oneof(
  {
    weight: 8,
    /** Acts of callers that come at once, and so are written together. */
    arbitrary: fc.record({
      do: fc.constant("acts" as const),
      acts: fc.array(runActStep, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("claim" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      which: fc.nat(100),
      isGood: fc.oneof(
        { weight: 9, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 10, 1_000),
    }),
  },
);
