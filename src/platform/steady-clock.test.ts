import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../test/support/manual-clock.ts";
import { systemClock } from "./clock.ts";
import type { Log } from "./log.ts";
import { SteadyClock } from "./due-time-clock.ts";

const HOUR_MS = 3_600_000;

test("due time goes on by the monotonic clock when the clock is set back", () => {
  const { own, clock } = steadyClock();
  const startedAt = clock.due();
  for (const ms of [-1_000, -60_000, -HOUR_MS]) {
    own.step(ms);
    assert.equal(clock.now(), own.now());
  }
  assert.equal(clock.due(), startedAt);
  own.advance(5_000);
  assert.equal(clock.due(), startedAt + 5_000);
});

test("a clock that catches up makes up for its step back", () => {
  const { own, clock } = steadyClock();
  own.step(-HOUR_MS);
  assert.deepEqual(clock.time(), { now: own.now(), aheadMs: HOUR_MS });
  own.step(HOUR_MS / 2);
  assert.deepEqual(clock.time(), { now: own.now(), aheadMs: HOUR_MS / 2 });
  own.step(HOUR_MS);
  assert.deepEqual(clock.time(), { now: own.now(), aheadMs: 0 });
});

test("a clock that jumped ahead and came back leaves due time where it was", () => {
  const { own, clock } = steadyClock();
  own.step(HOUR_MS);
  const aheadAt = clock.due();
  assert.equal(aheadAt, own.now());
  own.step(-HOUR_MS);
  assert.equal(clock.now(), own.now());
  assert.equal(clock.due(), aheadAt);
});

test("a step is logged once, with its size, and told to those that listen", () => {
  const { own, clock, logged } = steadyClock();
  const told: number[] = [];
  clock.onStep((ms) => told.push(ms));
  own.step(-60_000);
  for (let look = 0; look < 3; look++) clock.now();
  own.step(7_000);
  for (let look = 0; look < 3; look++) clock.due();
  assert.deepEqual(logged, ["the clock stepped back 60000", "the clock stepped forward 7000"]);
  assert.deepEqual(told, [-60_000, 7_000]);
});

test("a small step back is waited out, and not a word said", () => {
  const { own, clock, logged } = steadyClock();
  const startedAt = clock.now();
  own.step(-50);
  assert.equal(clock.now(), startedAt);
  own.advance(70);
  assert.equal(clock.now(), startedAt + 20);
  assert.deepEqual(logged, []);
});

test("a thread that had to wait between two looks has seen no step", () => {
  const own = new ManualClock();
  let pauseMs = 0;
  const now = (): number => {
    const at = own.now();
    own.advance(pauseMs);
    return at;
  };
  const clock = new SteadyClock({ ...systemClock, now, monotonic: () => own.monotonic() });
  pauseMs = 5_000;
  clock.time();
  pauseMs = 0;
  assert.equal(clock.time().aheadMs, 0);
});

test("due time is no less than what another clock has shown of it", () => {
  const { own, clock } = steadyClock();
  clock.catchUp(own.now() - HOUR_MS);
  assert.equal(clock.due(), own.now());
  clock.catchUp(own.now() + HOUR_MS);
  assert.deepEqual(clock.time(), { now: own.now(), aheadMs: HOUR_MS });
  own.step(HOUR_MS);
  assert.deepEqual(clock.time(), { now: own.now(), aheadMs: 0 });
});

function steadyClock(): { own: ManualClock; clock: SteadyClock; logged: string[] } {
  const own = new ManualClock();
  const logged: string[] = [];
  const add = (event: string, fields: object = {}): void => {
    logged.push([event, ...Object.values(fields)].join(" "));
  };
  const log: Log = { info: add, warn: add, error: add };
  return { own, clock: new SteadyClock(own, log), logged };
}
