import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../test/support/manual-clock.ts";
import { SharedClock } from "./due-time-clock.ts";

const AHEAD_MS = 3_600_000;

test("a node whose wall clock is wrong goes by the store's", () => {
  const { own, shared, startedAt } = heardAtOnce();
  assert.equal(shared.now(), startedAt + AHEAD_MS);
  own.advance(1_000);
  assert.equal(shared.now(), startedAt + AHEAD_MS + 1_000);
});

test("a node whose wall clock agrees with the store's goes by its own", () => {
  const own = new ManualClock();
  const shared = new SharedClock(own);
  const askedAt = own.monotonic();
  own.advance(6);
  shared.observe(own.now() - 3, askedAt);
  assert.equal(shared.now(), own.now());
  own.step(-4);
  own.advance(4);
  own.step(3);
  assert.equal(shared.now(), own.now());
  own.step(20);
  assert.equal(shared.now(), own.now() - 19);
});

test("setting the wall clock of a node does not change the time of the store", () => {
  const { own, shared, startedAt } = heardAtOnce();
  for (const ms of [600_000, -1_200_000]) {
    own.step(ms);
    assert.equal(shared.now(), startedAt + AHEAD_MS);
    assert.equal(shared.wall(), own.now());
  }
});

test("an answer that took long changes nothing that agrees with it, and makes nothing due too soon", () => {
  const { own, shared, startedAt } = heardAtOnce();
  const askedAt = own.monotonic();
  own.advance(8_000);
  shared.observe(startedAt + AHEAD_MS + 2_000, askedAt);
  assert.equal(shared.now(), startedAt + AHEAD_MS + 8_000);

  const late = new SharedClock(own);
  late.observe(own.now(), askedAt);
  assert.equal(late.now(), own.now());
});

test("a small correction backwards is waited out, a large one is made", () => {
  const { own, shared, startedAt } = heardAtOnce();
  assert.equal(shared.now(), startedAt + AHEAD_MS);
  shared.observe(startedAt + AHEAD_MS - 5, own.monotonic());
  assert.equal(shared.now(), startedAt + AHEAD_MS);
  own.advance(7);
  assert.equal(shared.now(), startedAt + AHEAD_MS + 2);
  shared.observe(startedAt + AHEAD_MS / 2, own.monotonic());
  assert.equal(shared.now(), startedAt + AHEAD_MS / 2);
});

test("due time goes on when the clock of the store is set back", () => {
  const { own, shared, startedAt } = heardAtOnce();
  const dueAt = startedAt + AHEAD_MS;
  own.advance(1_000);
  shared.observe(dueAt - 59_000, own.monotonic());
  assert.deepEqual(shared.time(), { now: dueAt - 59_000, aheadMs: 60_000 });
  own.advance(500);
  assert.equal(shared.due(), dueAt + 1_500);
  shared.observe(dueAt + 1_500, own.monotonic());
  assert.deepEqual(shared.time(), { now: dueAt + 1_500, aheadMs: 0 });
});

/** A node whose store has just shown a time an hour ahead of the node's clock. */
function heardAtOnce(): { own: ManualClock; shared: SharedClock; startedAt: number } {
  const own = new ManualClock();
  const shared = new SharedClock(own);
  shared.observe(own.now() + AHEAD_MS, own.monotonic());
  return { own, shared, startedAt: own.now() };
}
