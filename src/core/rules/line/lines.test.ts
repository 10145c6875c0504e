import assert from "node:assert/strict";
import { test } from "node:test";
import { aLimit, anAccount } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { keyLine, queueLine, UNLIMITED, type LineSetting } from "../../model/line/line.ts";
import {
  keyUsed,
  pinned,
  queuePatch,
  queueUsed,
  requireQueueWithin,
  setLine,
  settingAfterUses,
  settingOnceUsed,
  unpinned,
  unsetLine,
  USE_NOTED_MS,
} from "./lines.ts";

const KEY = { accountId: "account", line: keyLine("key") };
const QUEUE = { accountId: "account", line: queueLine("queue") };

function setting(fields: Partial<LineSetting> = {}): LineSetting {
  return {
    ...KEY,
    limits: UNLIMITED,
    isParallelismPinned: false,
    isRatePinned: false,
    createdAt: 1,
    updatedAt: 1,
    ...fields,
  };
}

function saying(parallelism: number | null, rate: number | null, periodMs = 1000) {
  return { ...KEY, limits: { parallelism, rate, periodMs, paused: false } };
}

/** Publishers that ask for so much parallelism, one after the other. */
function inTurn(...all: readonly number[]) {
  const asked = all.map((parallelism, index) => ({ ...saying(parallelism, null), at: 9 + index }));
  return { ...KEY, asked };
}

test("what is not named stays as it is, and the line is looked at at once", () => {
  const known = setting({ limits: { ...UNLIMITED, parallelism: 3 }, isRatePinned: true });
  const { changes, answer } = setLine.decide(
    aLimit(9, KEY, { paused: true }),
    rowsOf({ lineSettings: [known] }),
  );
  assert.equal(answer, "set");
  assert.deepEqual(changes, [
    {
      type: "line.set",
      setting: { ...known, limits: { ...known.limits, paused: true }, updatedAt: 9 },
    },
    { type: "line.changed", ...KEY, at: 9 },
  ]);
});

test("a line that is to exist and does not is left alone", () => {
  const act = { ...aLimit(9, KEY, { paused: true }), ifMissing: "refuse" as const };
  assert.deepEqual(setLine.decide(act, rowsOf({})), { changes: [], answer: "missing" });
});

test("one queue more than the account may have is refused, one that exists is changed", () => {
  const act = { ...aLimit(9, QUEUE, { parallelism: 2 }), queuesMax: 3 };
  const there = { counts: { queues: 3 } };
  assert.deepEqual(setLine.decide(act, rowsOf(there)), { changes: [], answer: "full" });
  const known = setting(QUEUE);
  assert.equal(setLine.decide(act, rowsOf({ ...there, lineSettings: [known] })).answer, "set");
  assert.equal(setLine.decide(act, rowsOf({ counts: { queues: 2 } })).answer, "set");
});

test("a new queue lets one through at a time, a new key everything", () => {
  const limitsOf = (key: typeof KEY) => {
    const [change] = setLine.decide(aLimit(9, key, {}), rowsOf({})).changes;
    return change?.type === "line.set" ? change.setting.limits.parallelism : undefined;
  };
  assert.deepEqual([limitsOf(QUEUE), limitsOf(KEY)], [1, null]);
});

test("the newest publisher says what a key lets through, and keeps its pause", () => {
  const known = setting({ limits: { parallelism: 1, rate: 2, periodMs: 5, paused: true } });
  const after = settingOnceUsed(known, saying(4, null), 9);
  assert.deepEqual(after?.limits, { parallelism: 4, rate: null, periodMs: 1000, paused: true });
  assert.equal(settingOnceUsed(known, saying(1, 2, 5), 9), null);
});

test("of several publishers the last one counts, even if it asks for what was stored", () => {
  const known = setting({ limits: { ...UNLIMITED, parallelism: 1 } });
  assert.equal(settingAfterUses(known, inTurn(1)), null);
  assert.deepEqual(settingAfterUses(known, inTurn(2, 1)), { ...known, updatedAt: 10 });
  assert.equal(settingAfterUses(null, inTurn(2, 3))?.limits.parallelism, 3);
});

test("a publisher changes no part that is pinned", () => {
  const limits = { parallelism: 1, rate: 2, periodMs: 5, paused: false };
  const parallelism = setting({ limits, isParallelismPinned: true });
  assert.deepEqual(settingOnceUsed(parallelism, saying(4, 7), 9)?.limits, {
    ...limits,
    rate: 7,
    periodMs: 1000,
  });
  const rate = setting({ limits, isRatePinned: true });
  assert.deepEqual(settingOnceUsed(rate, saying(4, 7), 9)?.limits, { ...limits, parallelism: 4 });
  const both = setting({ limits, isParallelismPinned: true, isRatePinned: true });
  assert.equal(settingOnceUsed(both, saying(4, 7), 9), null);
});

test("a queue is made by its first message and left alone by the others", () => {
  const used = { ...QUEUE, limits: { ...UNLIMITED, parallelism: 1 } };
  assert.equal(settingOnceUsed(null, used, 9)?.createdAt, 9);
  const grown = setting({ ...QUEUE, limits: { ...UNLIMITED, parallelism: 5 } });
  assert.equal(settingOnceUsed(grown, used, 9), null);
});

test("the use of a key is noted once an hour", () => {
  const known = setting({ limits: { ...UNLIMITED, parallelism: 1 }, updatedAt: 5 });
  assert.equal(settingOnceUsed(known, saying(1, null), 5 + USE_NOTED_MS - 1), null);
  const after = settingOnceUsed(known, saying(1, null), 5 + USE_NOTED_MS);
  assert.deepEqual(after, { ...known, updatedAt: 5 + USE_NOTED_MS });
  assert.equal(USE_NOTED_MS, 3_600_000);
});

test("a period that differs is a change, unless the rate is pinned", () => {
  const limits = { parallelism: null, rate: 2, periodMs: 5, paused: false };
  const after = settingOnceUsed(setting({ limits }), saying(null, 2, 6), 9);
  assert.equal(after?.limits.periodMs, 6);
  assert.equal(
    settingOnceUsed(setting({ limits, isRatePinned: true }), saying(null, 2, 6), 9),
    null,
  );
});

test("what is pinned is named, and what is unpinned only loses its pin", () => {
  assert.deepEqual(pinned(3, { rate: 2, periodMs: 5 }), {
    parallelism: 3,
    isParallelismPinned: true,
    rate: 2,
    periodMs: 5,
    isRatePinned: true,
  });
  assert.deepEqual(pinned(undefined, undefined), {});
  assert.deepEqual(pinned(3, undefined), { parallelism: 3, isParallelismPinned: true });
  assert.deepEqual(unpinned(true, true), { isParallelismPinned: false, isRatePinned: false });
  assert.deepEqual(unpinned(false, true), { isRatePinned: false });
  assert.deepEqual(unpinned(true, false), { isParallelismPinned: false });
});

test("a message uses its key with the limits that it names, and its queue with one slot", () => {
  assert.deepEqual(keyUsed("account", { key: "key", periodMs: 7 }), {
    ...KEY,
    limits: { ...UNLIMITED, periodMs: 7 },
  });
  const named = keyUsed("account", { key: "key", parallelism: 2, rate: 3, periodMs: 7 });
  assert.deepEqual(named.limits, { parallelism: 2, rate: 3, periodMs: 7, paused: false });
  assert.deepEqual(queueUsed("account", "queue"), {
    ...QUEUE,
    limits: { ...UNLIMITED, parallelism: 1 },
  });
});

test("a line that is unset is looked at at once", () => {
  const act = { rule: "unset-line", at: 9, ...KEY } as const;
  assert.deepEqual(unsetLine.decide(act, rowsOf({})).changes, [
    { type: "line.unset", key: KEY },
    { type: "line.changed", ...KEY, at: 9 },
  ]);
});

test("queues keep within the plan of their account", () => {
  const account = anAccount({ overrides: { queueParallelismMax: 2, queuesMax: 3 } });
  assert.deepEqual(queuePatch(account, { parallelism: 2, paused: true }), {
    parallelism: 2,
    paused: true,
  });
  assert.throws(() => queuePatch(account, { parallelism: 3, paused: false }), /maxParallelism/);
  const open = anAccount({ overrides: { queueParallelismMax: null } });
  assert.equal(queuePatch(open, { parallelism: 1e9, paused: false }).parallelism, 1e9);
  requireQueueWithin(account, 3);
  assert.throws(() => requireQueueWithin(account, 4), /maxQueues exceeded, current limit: 3/);
});
