import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { type LineLimits, UNLIMITED } from "../model/line/line.ts";
import type { LineLoad } from "../model/line/waiting.ts";
import { shownLine, type WaitingFacts, whyWaiting } from "./why-waiting.ts";

const NOW = 10_000;
const OPEN: LineLoad = {
  setting: null,
  running: null,
  held: 0,
  account: { isHalted: false, parallelismMax: null, held: 0 },
};
const DUE: WaitingFacts = {
  now: NOW,
  isServicePaused: false,
  load: OPEN,
  line: "h:a.test",
  host: "a.test",
  readyAt: NOW,
  isTried: false,
  obstacle: null,
};

function limited(limits: Partial<LineLimits>, held = 0, windowStarts = 0): LineLoad {
  const setting = {
    accountId: "account",
    line: "k:key",
    limits: { ...UNLIMITED, ...limits },
    isParallelismPinned: false,
    isRatePinned: false,
    createdAt: 0,
    updatedAt: 0,
  };
  const running = { nextAt: null, windowStartedAt: NOW - 100, windowStarts, emptied: false };
  return { ...OPEN, setting, running, held };
}

test("a message that is due and meets nothing is about to start", () => {
  assert.equal(whyWaiting(DUE), null);
  assert.equal(whyWaiting({ ...DUE, line: "q:queue" }), null);
});

test("a message that is not due waits for that, whatever else holds it back", () => {
  const later = { ...DUE, readyAt: NOW + 1, isServicePaused: true };
  assert.deepEqual(whyWaiting(later), { reason: "delay", endsAt: NOW + 1, line: "h:a.test" });
  assert.equal(whyWaiting({ ...later, isTried: true })?.reason, "retry");
});

test("a pause names what is paused, the service before the account before the line", () => {
  const halted = { ...OPEN, account: { ...OPEN.account, isHalted: true } };
  const paused = limited({ paused: true });
  assert.equal(by({ isServicePaused: true, load: halted }), "service");
  assert.equal(by({ load: halted }), "account");
  assert.equal(by({ load: paused, line: "k:key" }), "key");
  assert.equal(by({ load: paused, line: "q:queue" }), "queue");
});

test("a full queue ends with a settlement, a used rate with its window", () => {
  assert.deepEqual(why("q:queue", { ...OPEN, held: 1 }), {
    reason: "queue-full",
    endsAt: null,
    line: "q:queue",
  });
  assert.deepEqual(why("k:key", limited({ rate: 2, periodMs: 1_000 }, 0, 2)), {
    reason: "key-rate",
    endsAt: NOW + 900,
    line: "k:key",
  });
  assert.deepEqual(why("k:key", limited({ parallelism: 2 }, 2)), {
    reason: "key-parallelism",
    endsAt: null,
    line: "k:key",
  });
  assert.equal(why("k:key", limited({ parallelism: 2, rate: 3 }, 2, 1))?.reason, "key-parallelism");
});

test("after its line a message meets its account, then its host and its node", () => {
  const full = { ...OPEN, account: { isHalted: false, parallelismMax: 3, held: 3 } };
  const obstacle = "host-failing";
  const line = "k:key";
  assert.equal(whyWaiting({ ...DUE, load: full, obstacle })?.reason, "account-parallelism");
  assert.deepEqual(whyWaiting({ ...DUE, line, obstacle }), {
    reason: "host-failing",
    endsAt: null,
    line: "h:a.test",
  });
  assert.equal(whyWaiting({ ...DUE, obstacle: "node-full" })?.line, null);
  assert.equal(whyWaiting({ ...DUE, line: "q:queue", obstacle }), null);
});

test("a wait never ends in the past", () => {
  const instant = fc.integer({ min: NOW - 2_000, max: NOW + 2_000 });
  const limit = fc.option(fc.nat(3));
  fc.assert(
    fc.property(
      instant,
      limit,
      limit,
      fc.nat(4),
      fc.nat(4),
      (readyAt, parallelism, rate, held, starts) => {
        const load = limited({ parallelism, rate, periodMs: 500 }, held, starts);
        const wait = whyWaiting({ ...DUE, line: "k:key", readyAt, load });
        assert.ok(wait === null || wait.endsAt === null || wait.endsAt > NOW);
      },
    ),
  );
});

test("the two lines of a host are one to users", () => {
  assert.deepEqual(shownLine("r:a.test"), { kind: "host", name: "a.test" });
  assert.deepEqual(shownLine("h:a.test"), { kind: "host", name: "a.test" });
  assert.deepEqual(shownLine("q:queue"), { kind: "queue", name: "queue" });
});

function by(facts: Partial<WaitingFacts>) {
  return whyWaiting({ ...DUE, ...facts })?.pausedBy;
}

function why(line: string, load: LineLoad) {
  return whyWaiting({ ...DUE, line, load });
}
