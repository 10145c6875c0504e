import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, anAccount, aNewMessage, START_AT } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import {
  keyLine,
  type LineRunning,
  type LineSetting,
  type LineSnapshot,
  queueLine,
  UNLIMITED,
} from "../../model/line/line.ts";
import { keyUsed } from "../line/lines.ts";
import {
  ImmediateLease,
  isDueAtOnce,
  limitedLines,
  mayLeaseAtOnce,
  mayLeaseRunMessage,
  type PublishItem,
} from "./immediate-lease.ts";

const KEY = keyLine("key");
const QUEUE = queueLine("queue");
const FLOW = { key: "key", periodMs: 1_000 };
const IDLE: LineRunning = { nextAt: null, windowStartedAt: 0, windowStarts: 0, emptied: true };

function setting(line: string, limits: Partial<LineSetting["limits"]> = {}): LineSetting {
  return {
    accountId: "account",
    line,
    limits: { ...UNLIMITED, ...limits },
    isParallelismPinned: false,
    isRatePinned: false,
    createdAt: 1,
    updatedAt: START_AT,
  };
}

function snapshot(fields: Partial<LineSnapshot> = {}): LineSnapshot {
  return { setting: setting(KEY), running: IDLE, held: 0, nextReadyAt: null, ...fields };
}

function item(wish: Parameters<typeof aNewMessage>[0] = { flowControl: FLOW }): PublishItem {
  return { message: aNewMessage(wish), deduplication: null, nodeId: "node" };
}

const leaseOf = (lines: Readonly<Record<string, LineSnapshot>>, wish = item()) =>
  new ImmediateLease(rowsOf({ lines })).of(wish);

test("an account with a limit on all its attempts, or that is halted, waits for claims", () => {
  const { limits } = anAccount();
  assert.equal(
    mayLeaseAtOnce({ limits: { ...limits, parallelismMax: null }, isHalted: false }),
    true,
  );
  assert.equal(
    mayLeaseAtOnce({ limits: { ...limits, parallelismMax: 1 }, isHalted: false }),
    false,
  );
  assert.equal(
    mayLeaseAtOnce({ limits: { ...limits, parallelismMax: null }, isHalted: true }),
    false,
  );
});

test("a message is due at once without a delay, and one of a run without a key too", () => {
  assert.equal(isDueAtOnce(aMessage()), true);
  assert.equal(isDueAtOnce(aMessage({ notBefore: START_AT - 1 })), true);
  const delayed = aMessage({ notBefore: START_AT + 1 });
  assert.equal(isDueAtOnce(delayed), false);
  assert.equal(mayLeaseRunMessage(aMessage()), true);
  assert.equal(mayLeaseRunMessage(delayed), false);
  assert.equal(mayLeaseRunMessage(aMessage({ flowControl: FLOW })), false);
});

const linesOf = (wish: Parameters<typeof aNewMessage>[0]) =>
  limitedLines(aNewMessage(wish).state).map(({ line }) => line);

test("queues and keys have limits, hosts and retries have none", () => {
  assert.deepEqual(linesOf({}), []);
  assert.deepEqual(linesOf({ queueName: "queue" }), [QUEUE]);
  assert.deepEqual(linesOf({ flowControl: FLOW }), [KEY]);
  assert.deepEqual(linesOf({ queueName: "queue", flowControl: FLOW }), [QUEUE, KEY]);
});

test("where its key has room, it is stored leased to the node", () => {
  const leased = leaseOf({ [KEY]: snapshot() });
  const { phase, fence, nodeId, leasedAt, line } = leased!.message.state;
  assert.deepEqual([phase, fence, nodeId, leasedAt, line], ["active", 1, "node", START_AT, KEY]);
  assert.deepEqual(leased!.changes, [
    { type: "line.started", accountId: "account", line: KEY, window: null },
  ]);
});

test("a message that its queue lets through waits in it no more", () => {
  const both = item({ queueName: "queue", flowControl: FLOW });
  const lines = { [QUEUE]: snapshot({ setting: null }), [KEY]: snapshot() };
  const { line, lineAfter, queue } = leaseOf(lines, both)!.message.state;
  assert.deepEqual([line, lineAfter, queue], [KEY, null, QUEUE]);
  assert.equal(leaseOf({ [QUEUE]: lines[QUEUE]! }, both), null);
  assert.equal(leaseOf({ [KEY]: lines[KEY]! }, both), null);
});

test("it waits without a node, with a delay, and where only a claim may lease", () => {
  const lines = { [KEY]: snapshot() };
  assert.equal(leaseOf(lines, { ...item(), nodeId: undefined }), null);
  assert.equal(leaseOf(lines, item({ flowControl: FLOW, notBefore: START_AT + 1 })), null);
  assert.notEqual(leaseOf(lines, item({ flowControl: FLOW, notBefore: START_AT })), null);
  assert.equal(leaseOf({}), null);
});

test("of several messages of a line only the first is leased", () => {
  const lease = new ImmediateLease(rowsOf({ lines: { [KEY]: snapshot() } }));
  assert.notEqual(lease.of(item()), null);
  assert.equal(lease.of(item()), null);
  const other = new ImmediateLease(rowsOf({ lines: { [KEY]: snapshot(), [QUEUE]: snapshot() } }));
  assert.equal(other.of({ ...item(), nodeId: undefined }), null);
  assert.equal(other.of(item({ queueName: "queue", flowControl: FLOW })), null);
});

const isLeasedBeside = (fields: Partial<LineSnapshot>) =>
  leaseOf({ [KEY]: snapshot(fields) }) !== null;

test("it does not pass a message that is ready, or waits for a slot", () => {
  assert.equal(isLeasedBeside({ nextReadyAt: START_AT }), false);
  assert.equal(isLeasedBeside({ nextReadyAt: START_AT + 1 }), true);
  assert.equal(isLeasedBeside({ running: { ...IDLE, emptied: false } }), false);
  assert.equal(isLeasedBeside({ running: { ...IDLE, nextAt: START_AT } }), false);
  assert.equal(
    isLeasedBeside({ running: { ...IDLE, nextAt: START_AT + 1, emptied: false } }),
    true,
  );
  assert.equal(isLeasedBeside({ running: null }), true);
});

const isLeasedUnder = (limits: Partial<LineSetting["limits"]>, more: Partial<LineSnapshot> = {}) =>
  leaseOf({ [KEY]: snapshot({ setting: setting(KEY, limits), ...more }) }) !== null;

test("slots and starts of the line are counted", () => {
  assert.equal(isLeasedUnder({ parallelism: 2 }, { held: 1 }), true);
  assert.equal(isLeasedUnder({ parallelism: 2 }, { held: 2 }), false);
  assert.equal(isLeasedUnder({ paused: true }), false);
  const running = { ...IDLE, windowStartedAt: START_AT - 999, windowStarts: 2 };
  assert.equal(isLeasedUnder({ rate: 2 }, { running }), false);
  assert.equal(isLeasedUnder({ rate: 3 }, { running }), true);
  assert.equal(isLeasedUnder({ rate: 1 }, { running: null }), true);
});

const windowOf = (state: LineRunning) => {
  const [change] = leaseOf({
    [KEY]: snapshot({ setting: setting(KEY, { rate: 3 }), running: state }),
  })!.changes;
  return change?.type === "line.started" ? change.window : undefined;
};

test("under a rate its start is counted in the window", () => {
  const running = { ...IDLE, windowStartedAt: START_AT - 999, windowStarts: 2 };
  assert.deepEqual(windowOf(running), { startedAt: START_AT - 999, starts: 3 });
  assert.deepEqual(windowOf(IDLE), { startedAt: START_AT, starts: 1 });
});

const brings = (parallelism: number, known: LineSetting | null, held: number) => {
  const { message, ...rest } = item();
  const uses = [keyUsed("account", { ...FLOW, parallelism })];
  const lines = { [KEY]: snapshot({ setting: known, held }) };
  return leaseOf(lines, { ...rest, message: { ...message, uses } }) !== null;
};

test("the limits that it brings itself hold for it", () => {
  assert.equal(brings(1, setting(KEY), 1), false);
  assert.equal(brings(2, setting(KEY, { parallelism: 1 }), 1), true);
  assert.equal(brings(1, null, 1), false);
  const pinned = { ...setting(KEY, { parallelism: 1 }), isParallelismPinned: true };
  assert.equal(brings(2, pinned, 1), false);
});
