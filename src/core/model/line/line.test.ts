import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import {
  lineForRetry,
  lineKind,
  linesOf,
  type LineLimits,
  type LineRunning,
  type LineVisit,
  nextVisit,
  QUEUE_DEFAULT,
  type Room,
  roomOf,
  UNLIMITED,
} from "./line.ts";

const NOW = 10_000;
const FRESH: LineRunning = { nextAt: null, windowStartedAt: 0, windowStarts: 0, emptied: false };
const ROOM: Room = { count: 5, opensAt: null, windowStartedAt: NOW, windowStarts: 0 };
const LOOK: LineVisit = {
  now: NOW,
  room: ROOM,
  took: 1,
  passedOver: false,
  nextReadyAt: NOW - 1,
};

test("a message stands in its queue, then in its key, else at its host", () => {
  const settings = { timeoutMs: 1, retries: 0 };
  const keyed = { ...settings, flowControl: { key: "key", periodMs: 1 } };
  assert.deepEqual(linesOf({ settings }, "host"), { line: "h:host", lineAfter: null });
  assert.deepEqual(linesOf({ settings: keyed }, "host"), { line: "k:key", lineAfter: null });
  const queued = linesOf({ queueName: "queue", settings: keyed }, "host");
  assert.deepEqual(queued, { line: "q:queue", lineAfter: "k:key" });
});

test("a retry stays in its key and leaves first attempts alone elsewhere", () => {
  assert.equal(lineForRetry("k:key", "host"), "k:key");
  assert.equal(lineForRetry("h:host", "host"), "r:host");
  assert.equal(lineForRetry("r:host", "host"), "r:host");
});

test("the kind of a line is its first letter", () => {
  const kinds = ["q:x", "k:x", "h:x", "r:x", "?"].map(lineKind);
  assert.deepEqual(kinds, ["queue", "key", "host", "retry", "host"]);
});

test("room is what parallelism and rate leave, whichever is less", () => {
  const room = (limits: Partial<LineLimits>, held: number, windowStarts = 0) =>
    roomOf(
      { ...UNLIMITED, ...limits },
      { ...FRESH, windowStartedAt: NOW, windowStarts },
      held,
      NOW,
    );
  assert.equal(room({}, 1_000).count, Infinity);
  assert.equal(roomOf(QUEUE_DEFAULT, FRESH, 0, NOW).count, 1);
  assert.deepEqual(pick(room({ parallelism: 3 }, 1)), { count: 2, opensAt: null });
  assert.deepEqual(pick(room({ parallelism: 3 }, 4)), { count: 0, opensAt: null });
  assert.deepEqual(pick(room({ rate: 3 }, 9, 1)), { count: 2, opensAt: NOW + 1_000 });
  assert.deepEqual(pick(room({ rate: 3, parallelism: 1 }, 0)), { count: 1, opensAt: null });
  assert.deepEqual(pick(room({ rate: 1, parallelism: 3 }, 0)), { count: 1, opensAt: NOW + 1_000 });
  assert.deepEqual(pick(room({ paused: true }, 0)), { count: 0, opensAt: null });
});

test("a window that is over, or that begins a period from now, is a new one", () => {
  const limits = { ...UNLIMITED, rate: 2, periodMs: 100 };
  const at = (windowStartedAt: number) =>
    roomOf(limits, { ...FRESH, windowStartedAt, windowStarts: 2 }, 0, NOW);
  assert.equal(at(NOW - 99).count, 0);
  assert.equal(at(NOW).count, 0);
  assert.deepEqual(at(NOW - 100), { ...ROOM, count: 2, opensAt: NOW + 100 });
  assert.equal(at(NOW + 1).count, 0);
  assert.equal(at(NOW + 99).opensAt, NOW + 199);
  assert.deepEqual(at(NOW + 100), { ...ROOM, count: 2, opensAt: NOW + 100 });
});

test("room is never negative and never more than a limit leaves", () => {
  const limit = fc.option(fc.integer({ min: 1, max: 20 }));
  fc.assert(
    fc.property(limit, limit, fc.nat(30), fc.nat(30), (parallelism, rate, held, windowStarts) => {
      const running = { ...FRESH, windowStartedAt: NOW, windowStarts };
      const { count } = roomOf({ ...UNLIMITED, parallelism, rate }, running, held, NOW);
      assert.ok(count >= 0);
      assert.ok(parallelism === null || count === 0 || count + held <= parallelism);
      assert.ok(rate === null || count === 0 || count + windowStarts <= rate);
    }),
  );
});

test("an emptied line is not looked at again", () => {
  assert.deepEqual(nextVisit({ ...LOOK, nextReadyAt: null }), { nextAt: null, emptied: true });
});

test("a full line is not visited until it has room, or an act makes it due", () => {
  const full = { ...LOOK, took: 5 };
  assert.deepEqual(nextVisit(full), { nextAt: null, emptied: false });
  const room = { ...ROOM, opensAt: NOW + 7 };
  assert.deepEqual(nextVisit({ ...full, room }), { nextAt: NOW + 7, emptied: false });
});

test("an open line is looked at when its next message is ready", () => {
  assert.deepEqual(nextVisit(LOOK), { nextAt: NOW, emptied: false });
  const later = { ...LOOK, nextReadyAt: NOW + 9 };
  assert.deepEqual(nextVisit(later), { nextAt: NOW + 9, emptied: false });
});

test("a line whose messages were passed over is not asked again at once", () => {
  assert.deepEqual(nextVisit({ ...LOOK, passedOver: true }), { nextAt: NOW + 100, emptied: false });
});

function pick({ count, opensAt }: Room): Pick<Room, "count" | "opensAt"> {
  return { count, opensAt };
}
