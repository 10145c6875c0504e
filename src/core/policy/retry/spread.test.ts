import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import type { PublishOptions } from "../../model/message/publish-options.ts";
import { requireSpread, Spread } from "./spread.ts";

const START_AT = 1_000_000;
const OVER_MS = 600_000;
const GIVEN: PublishOptions = { dialect: "svc", headers: [], settings: {} };

test("the first message goes at once, and without a time all of them", () => {
  assert.equal(new Spread(START_AT, OVER_MS).next(GIVEN).notBefore, START_AT);
  assert.equal(new Spread(START_AT, 0).next(GIVEN), GIVEN);
});

test("a delay or an instant that was asked for comes first", () => {
  const delayed = new Spread(START_AT, OVER_MS).next({ ...GIVEN, delayMs: 5_000 });
  assert.deepEqual([delayed.delayMs, delayed.notBefore], [undefined, START_AT + 5_000]);
  const later = new Spread(START_AT, OVER_MS).next({ ...GIVEN, notBefore: START_AT + 9 });
  assert.equal(later.notBefore, START_AT + 9);
});

test("the instants of what has no settings are spread alike", () => {
  const [one, other] = [new Spread(START_AT, OVER_MS), new Spread(START_AT, OVER_MS)];
  for (let index = 0; index < 5; index++) assert.equal(one.nextAt(), other.next(GIVEN).notBefore);
  assert.equal(new Spread(START_AT, 0).nextAt(), START_AT);
});

test("an instant that has passed is no delay", () => {
  requireOver(5_000, { notBefore: START_AT - 9_000 });
});

test("any number of messages, and any in a row, are spread evenly", () => {
  const counts = fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 2, max: 1_500 }));
  fc.assert(
    fc.property(counts, ([before, count]) => {
      const spread = new Spread(START_AT, OVER_MS);
      const all = Array.from({ length: before + count }, () => spread.next(GIVEN).notBefore!);
      const offsets = all.slice(before).map((at) => at - START_AT);
      const sorted = [0, ...offsets.toSorted((one, other) => one - other), OVER_MS];
      const gaps = sorted.slice(1).map((at, index) => at - sorted[index]!);
      assert.ok(offsets.every((offset) => offset >= 0 && offset < OVER_MS));
      // Equal gaps would be OVER_MS / count.
      assert.ok(Math.max(...gaps) <= (2.7 * OVER_MS) / count, `${Math.max(...gaps)} of ${count}`);
    }),
  );
});

test("the time is within the largest delay of the account", () => {
  requireOver(5_000);
  requireOver(4_000, { delayMs: 1_000 });
  requireOver(0, { delayMs: 9_000 });
  assert.throws(() => requireOver(5_001), /over: ends after .*5s/);
  assert.throws(() => requireOver(4_000, { delayMs: 1_001 }), /over: ends after/);
  assert.throws(() => requireOver(4_000, { notBefore: START_AT + 1_001 }), /over: ends after/);
});

function requireOver(overMs: number, given: Partial<PublishOptions> = {}): void {
  requireSpread(overMs, { ...GIVEN, ...given }, START_AT, 5_000);
}
