import * as fc from "fast-check";

/** What can happen. Weighted so that lines fill up and leases are lost; an even mix hardly does. */
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
export type ActStep = typeof actStep extends fc.Arbitrary<infer Value> ? Value : never;

export const ACCOUNTS = ["one", "two"] as const;
/** The second account may have so many under way at once. */
export const CAP = 4;
export const NODES = ["n1", "n2", "n3"] as const;
export const HOSTS = ["a.test", "b.test"] as const;
const LINES = ["k:x", "k:y", "q:p", "q:r"] as const;

const node = fc.constantFrom(...NODES);
const seldom = (freq: number) =>
  fc.oneof(
    { weight: freq, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
/** Which of those at hand, whatever their number. */
const which = fc.nat(1_000);

const publishing = {
  do: fc.constant("publish" as const),
  account: fc.constantFrom("one", "one", "two"),
  host: fc.constantFrom(...HOSTS),
  queue: fc.option(fc.constantFrom("p", "r"), { freq: 2, nil: undefined }),
  key: fc.option(fc.constantFrom("x", "y"), { freq: 2, nil: undefined }),
  /** What its publisher says of its key. */
  says: fc.option(
    fc.record({
      parallelism: fc.option(fc.integer({ min: 1, max: 2 })),
      rate: fc.option(fc.integer({ min: 1, max: 2 })),
    }),
    { freq: 2, nil: undefined },
  ),
  delayMs: fc.constantFrom(0, 0, 0, 0, 3, 40, 400),
  deduplication: fc.option(fc.constantFrom("d", "e"), { freq: 2, nil: undefined }),
  expiresMs: fc.constantFrom(10, 500),
  callback: fc.option(fc.constantFrom(0, 20), { freq: 2, nil: undefined }),
  failureCallback: fc.boolean(),
  leasedBy: fc.option(node, { freq: 2, nil: undefined }),
  bytes: fc.constantFrom(0, 5, 60),
  idTaken: seldom(15),
};
const publish = fc.record(publishing);
/** Into a queue and nothing else, so that settlements find a next message in it. */
const enqueue = fc.record({
  ...publishing,
  account: fc.constant("one" as const),
  queue: fc.constantFrom("p", "r"),
  key: fc.constant(undefined),
  callback: fc.constant(undefined),
  delayMs: fc.constantFrom(0, 0, 3),
});
/** The room of a node for the next message of a queue. */
const next = fc.record({
  node,
  host: fc.option(fc.constantFrom(...HOSTS), { freq: 3, nil: undefined }),
  bytesMax: fc.constantFrom(30, 1_000, 1_000),
});
const settle = fc.record({
  do: fc.constant("settle" as const),
  which,
  /** By a lease that was held once. */
  old: seldom(6),
  verdict: fc.constantFrom(
    "delivered" as const,
    "retry" as const,
    "retry" as const,
    "dead" as const,
  ),
  waitMs: fc.constantFrom(0, 5, 60),
  next: fc.option(next, { freq: 3, nil: undefined }),
});
/** A message of a queue from which nothing follows. */
const pass = fc.record({ do: fc.constant("pass" as const), which, next });
const cancel = fc.record({
  do: fc.constant("cancel" as const),
  which: fc.array(which, { minLength: 1, maxLength: 3 }),
  active: fc.boolean(),
});
const sendNow = fc.record({
  do: fc.constant("send-now" as const),
  which,
  isOfMany: fc.boolean(),
  waitMs: fc.constantFrom(0, 500),
});
const handBack = fc.record({ do: fc.constant("hand-back" as const), which, old: seldom(6) });
const letter = fc.record({
  do: fc.constantFrom("remove-letter" as const, "retry-letter" as const),
  which,
  old: seldom(3),
});
const limit = fc.record({
  do: fc.constant("limit" as const),
  account: fc.constantFrom(...ACCOUNTS),
  line: fc.constantFrom(...LINES),
  parallelism: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 4 }),
  rate: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 2 }),
  paused: seldom(8),
  isParallelismPinned: seldom(2),
  isRatePinned: seldom(2),
});
const remove = fc.record({
  do: fc.constant("remove-queue" as const),
  account: fc.constantFrom(...ACCOUNTS),
  line: fc.constantFrom("q:p", "q:r"),
});

export const actStep = fc.oneof(
  { weight: 8, arbitrary: publish },
  { weight: 3, arbitrary: enqueue },
  { weight: 8, arbitrary: settle },
  { weight: 3, arbitrary: pass },
  { weight: 2, arbitrary: cancel },
  { weight: 1, arbitrary: sendNow },
  { weight: 1, arbitrary: handBack },
  { weight: 1, arbitrary: letter },
  { weight: 2, arbitrary: limit },
  { weight: 1, arbitrary: remove },
);

export const step = fc.oneof(
  {
    weight: 14,
    /** Acts of callers that come at once, and so are written together. */
    arbitrary: fc.record({
      do: fc.constant("acts" as const),
      acts: fc.array(actStep, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      node,
      slots: fc.constantFrom(1, 2, 4, 100),
      retrySlots: fc.constantFrom(0, 1, 100, 100),
      fullHosts: fc.subarray([...HOSTS], { maxLength: 1 }),
      slotsPerHost: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 3 }),
      bytesMax: fc.constantFrom(30, 100, 1_000_000, 1_000_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 5, 25, 100, 1_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("set-clock" as const),
      ms: fc.constantFrom(-20, -700, -60_000, 700, 60_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("take-over" as const),
      heir: node,
      from: fc.option(fc.subarray([...NODES], { minLength: 1 }), { freq: 2 }),
      seenBefore: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("beat" as const), node }) },
  {
    weight: 1,
    /** A node that dies over what it sends, several times in a row. */
    arbitrary: fc.record({
      do: fc.constant("crashes" as const),
      times: fc.constantFrom(2, 4, 15),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("sweep" as const),
      ageMs: fc.constantFrom(0, 100, 1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drain" as const) }) },
);
