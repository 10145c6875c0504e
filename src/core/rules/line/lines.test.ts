import assert from "node:assert/strict";
import { test } from "node:test";
import { aLimit } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { keyLine, queueLine, UNLIMITED, type LineSetting } from "../../model/line/line.ts";
import { setLine, settingAfterUses, settingOnceUsed } from "./lines.ts";

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
