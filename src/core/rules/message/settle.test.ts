import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aCallback,
  aMessage,
  aNewMessage,
  anAttempt,
  bytes,
  type MessageWish,
} from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import type { SettleAct, SettleAnswer } from "./settlement.ts";
import type { Change } from "../../change.ts";
import type { MessageState } from "../../model/message/message.ts";
import type { Decision } from "../../rule.ts";
import type { Verdict } from "./judge.ts";
import { settle } from "./settle.ts";

const AT = 5_000;
const DEAD: Verdict = { kind: "dead" };
const DELIVERED: Verdict = { kind: "delivered" };
const RETRY: Verdict = { kind: "retry", readyAt: AT + 100 };

test("only a dead message needs a number", () => {
  assert.equal(settle.needs(anAct(DEAD)).deadLetterNumbers, 1);
  assert.equal(settle.needs(anAct(DELIVERED)).deadLetterNumbers, undefined);
});

test("a lease that is not held settles nothing", () => {
  const held = stateOf();
  const missing = rowsOf({});
  const newer = rowsOf({ messages: [{ ...held, fence: 2 }] });
  const waiting = rowsOf({ messages: [{ ...held, phase: "waiting" }] });
  for (const rows of [missing, newer, waiting]) {
    assert.deepEqual(settle.decide(anAct(DEAD), rows), { changes: [], answer: "stale" });
  }
});

test("delivered: the attempt, the log and the end", () => {
  const { changes, answer } = decide(DELIVERED);
  assert.equal(answer, "settled");
  assert.deepEqual(outline(changes), ["log DELIVERED of attempt 1", "message.ended"]);
});

test("retry: it waits in the line for retries until it is ready", () => {
  const { changes, answer } = decide(RETRY);
  assert.equal(answer, "settled");
  assert.deepEqual(outline(changes), [
    "log ERROR of attempt 1",
    "log RETRY",
    "message.changed",
    `due r:example.test ${AT + 100}`,
  ]);
  const changed = changes.find((change) => change.type === "message.changed");
  assert.deepEqual(changed?.state, {
    ...stateOf(),
    phase: "waiting",
    attempts: 1,
    readyAt: AT + 100,
    line: "r:example.test",
    nodeId: null,
    leasedAt: null,
  });
});

test("retry under a key: it stays in its key, which is free for others at once", () => {
  const { changes } = decide(RETRY, { flowControl: { key: "key", periodMs: 1 } });
  assert.deepEqual(outline(changes).slice(-2), ["line.freed", `due k:key ${AT + 100}`]);
});

test("dead: the letter carries the last answer, and the failure callback its id", () => {
  const { changes } = decide(DEAD, { callback: aCallback(), failureCallback: aCallback() });
  assert.deepEqual(outline(changes), [
    "log ERROR of attempt 1",
    "log FAILED",
    "dead-letter.added",
    "message.ended",
    "message.added callback",
    "log CREATED",
    `due h:callback.test ${AT}`,
    "message.added failure",
    "log CREATED",
    `due h:callback.test ${AT}`,
  ]);
  const letter = changes.find((change) => change.type === "dead-letter.added")?.deadLetter;
  assert.deepEqual([letter?.diedAt, letter?.number, letter?.status], [AT, 7, 500]);
  const reports = changes.filter((change) => change.type === "message.added");
  const last = Buffer.from(reports.at(-1)?.message.body ?? []).toString();
  assert.equal((JSON.parse(last) as { dlqId: string }).dlqId, `${AT}-7`);
});

test("canceled while under way: reported, but neither tried again nor kept", () => {
  for (const verdict of [RETRY, DEAD]) {
    const reports = { callback: aCallback(), failureCallback: aCallback() };
    const { changes, answer } = decide(verdict, reports, { cancelRequested: true });
    assert.equal(answer, "canceled");
    assert.deepEqual(outline(changes).slice(0, 4), [
      "log ERROR of attempt 1",
      "log CANCELED",
      "message.ended",
      "message.added callback",
    ]);
    assert.ok(!changes.some(({ type }) => type === "dead-letter.added"));
    assert.ok(!outline(changes).includes("message.added failure"));
  }
});

test("canceled, but it arrived: delivered", () => {
  const { changes, answer } = decide(DELIVERED, {}, { cancelRequested: true });
  assert.equal(answer, "settled");
  assert.ok(outline(changes).includes("log DELIVERED of attempt 1"));
});

test("without a source nothing follows", () => {
  const act = { ...anAct(DEAD, { callback: aCallback() }), source: null };
  const rows = rowsOf({ messages: [stateOf()], deadLetterNumber: 7 });
  const { changes } = settle.decide(act, rows);
  assert.ok(!changes.some(({ type }) => type === "message.added"));
});

function stateOf(wish: MessageWish = {}): MessageState {
  return aNewMessage({ leasedBy: "node", ...wish }).state;
}

function anAct(verdict: Verdict, wish: MessageWish = {}): SettleAct {
  return {
    rule: "settle",
    at: AT,
    lease: { accountId: "account", messageId: "message", fence: 1 },
    verdict,
    attempt: anAttempt({ status: verdict.kind === "delivered" ? 200 : 500 }),
    source: {
      message: aMessage(wish),
      body: bytes("body"),
      responseBody: bytes("answer"),
      callbackId: "callback",
      failureCallbackId: "failure",
      invokerMessageId: "msg_invoker",
    },
  };
}

function decide(
  verdict: Verdict,
  wish: MessageWish = {},
  state: Partial<MessageState> = {},
): Decision<SettleAnswer> {
  const messages = [{ ...stateOf(wish), ...state }];
  return settle.decide(anAct(verdict, wish), rowsOf({ messages, deadLetterNumber: 7 }));
}

/** Changes in a word each. */
function outline(changes: readonly Change[]): string[] {
  return changes.map((change) => {
    if (change.type === "log.added") return logOutline(change);
    if (change.type === "line.due") return `due ${change.line} ${change.at}`;
    if (change.type === "message.added") return `${change.type} ${change.message.state.messageId}`;
    return change.type;
  });
}

function logOutline({ entry, attempt }: Extract<Change, { type: "log.added" }>): string {
  return attempt ? `log ${entry.state} of attempt ${attempt.number}` : `log ${entry.state}`;
}
