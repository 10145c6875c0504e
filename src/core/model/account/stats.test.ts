import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DURATION_BOUNDS_MS,
  DURATION_BUCKETS,
  durationBucket,
  quantileMs,
  startOfStep,
} from "./stats.ts";

const counted = (...pairs: readonly [bucket: number, count: number][]): { durations: number[] } => {
  const durations = Array<number>(DURATION_BUCKETS).fill(0);
  for (const [bucket, count] of pairs) durations[bucket] = count;
  return { durations };
};

test("a step begins at its own start", () => {
  assert.equal(startOfStep(119_999, "minute"), 60_000);
  assert.equal(startOfStep(120_000, "minute"), 120_000);
  assert.equal(startOfStep(86_399_999, "day"), 0);
});

test("a duration counts in the bucket that it reaches and not in the next", () => {
  assert.equal(durationBucket(0), 0);
  for (const [index, boundMs] of DURATION_BOUNDS_MS.entries()) {
    assert.equal(durationBucket(boundMs), index);
    assert.equal(durationBucket(boundMs + 1), index + 1);
  }
});

test("a quantile lies between the bounds of the bucket that holds it", () => {
  assert.equal(quantileMs(counted(), 0.5), null);
  assert.equal(quantileMs(counted([1, 4]), 0.5), 8);
  assert.equal(quantileMs(counted([1, 4]), 1), 10);
  assert.equal(quantileMs(counted([0, 1], [3, 1]), 0.5), 5);
  assert.equal(quantileMs(counted([0, 1], [3, 1]), 0.75), 38);
  assert.equal(quantileMs(counted([DURATION_BUCKETS - 1, 3]), 0.99), 60_000);
});
