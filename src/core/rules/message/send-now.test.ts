import assert from "node:assert/strict";
import { test } from "node:test";
import { aNewMessage, START_AT } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { type MessageState, NO_DELAY } from "../../model/message/message.ts";
import { sendManyNow, sendNow } from "./send-now.ts";

const AT = START_AT + 10;
const KEY = { accountId: "account", messageId: "message" };
const run = { runId: "run", createdAt: START_AT };
const LATER = aNewMessage({ notBefore: AT + 50 }).state;

const one = (state: MessageState | null) =>
  sendNow.decide(
    { rule: "send-now", at: AT, key: KEY },
    rowsOf({ messages: state === null ? [] : [state] }),
  );

test("a message that waits is due, and its line is visited", () => {
  assert.deepEqual(one(LATER), {
    changes: [
      { type: "message.changed", state: { ...LATER, readyAt: AT } },
      { type: "line.due", accountId: "account", line: LATER.line, at: AT },
    ],
    answer: "due",
  });
  assert.deepEqual(sendNow.needs({ rule: "send-now", at: AT, key: KEY }), { messages: [KEY] });
});

test("in a queue it waits for its turn alone", () => {
  const queued = aNewMessage({ notBefore: AT + 50, queueName: "queue" }).state;
  const [changed] = one(queued).changes;
  assert.ok(changed?.type === "message.changed" && changed.state.readyAt === NO_DELAY);
});

test("what is due, active, asleep or ended does not change", () => {
  const isLeft = (state: MessageState | null, answer: string) =>
    assert.deepEqual(one(state), { changes: [], answer });
  isLeft({ ...LATER, readyAt: AT }, "due");
  isLeft(null, "ended");
  isLeft({ ...LATER, cancelRequested: true }, "ended");
  isLeft({ ...LATER, phase: "active" }, "active");
  isLeft({ ...LATER, run }, "asleep");
  assert.equal(one({ ...LATER, run, attempts: 1 }).changes.length, 2);
});

test("of many, those that wait are counted, and due no later than before", () => {
  const states = [AT + 50, AT + 5, AT].map((readyAt, index) => ({
    ...LATER,
    messageId: `m${index}`,
    readyAt,
  }));
  const messages = ["m0", "m1", "m2", "gone"].map((messageId) => ({
    key: { ...KEY, messageId },
    dueAt: AT + 5,
  }));
  const act = { rule: "send-many-now", at: AT, messages } as const;
  const { changes, answer } = sendManyNow.decide(act, rowsOf({ messages: states }));
  assert.equal(answer, 2);
  assert.deepEqual(changes, [
    { type: "message.changed", state: { ...states[0]!, readyAt: AT + 5 } },
    { type: "line.due", accountId: "account", line: LATER.line, at: AT + 5 },
  ]);
  assert.deepEqual(sendManyNow.needs(act), { messages: messages.map(({ key }) => key) });
});

test("in a queue an instant that is still to come is kept", () => {
  const queued = { ...aNewMessage({ notBefore: AT + 50, queueName: "queue" }).state };
  const readyAt = (dueAt: number) => {
    const act = { rule: "send-many-now", at: AT, messages: [{ key: KEY, dueAt }] } as const;
    const [changed] = sendManyNow.decide(act, rowsOf({ messages: [queued] })).changes;
    return changed?.type === "message.changed" && changed.state.readyAt;
  };
  assert.equal(readyAt(AT + 1), AT + 1);
  assert.equal(readyAt(AT), NO_DELAY);
});
