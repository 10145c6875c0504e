import assert from "node:assert/strict";
import { test } from "node:test";
import { aNewMessage } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { type CancelAct, cancel } from "./cancel.ts";

const AT = 9_000;
const key = { accountId: "account", messageId: "message" };
const act = (...keys: CancelAct["keys"]): CancelAct => ({ rule: "cancel", at: AT, keys });

test("it needs the messages that are named", () => {
  assert.deepEqual(cancel.needs(act(key)), { messages: [key] });
});

test("a waiting message ends at once", () => {
  const messages = [aNewMessage().state];
  const { changes, answer } = cancel.decide(act(key), rowsOf({ messages }));
  assert.deepEqual(answer, { canceled: 1, inFlight: 0 });
  assert.deepEqual(changes, [
    { type: "log.added", entry: { ...key, at: AT, state: "CANCEL_REQUESTED" } },
    { type: "log.added", entry: { ...key, at: AT, state: "CANCELED" } },
    { type: "message.ended", key: messages[0] },
  ]);
});

test("a message under way is marked and keeps its lease", () => {
  const state = aNewMessage({ leasedBy: "node" }).state;
  const { changes, answer } = cancel.decide(act(key), rowsOf({ messages: [state] }));
  assert.deepEqual(answer, { canceled: 1, inFlight: 1 });
  assert.deepEqual(changes.at(-1), {
    type: "message.changed",
    state: { ...state, cancelRequested: true },
  });
});

test("twice named, already canceled or gone: counted once or not at all", () => {
  const marked = { ...aNewMessage({ leasedBy: "node" }).state, cancelRequested: true };
  const nothing = { changes: [], answer: { canceled: 0, inFlight: 0 } };
  assert.deepEqual(cancel.decide(act(key), rowsOf({ messages: [marked] })), nothing);
  assert.deepEqual(cancel.decide(act(key), rowsOf({})), nothing);
  const twice = cancel.decide(act(key, key), rowsOf({ messages: [aNewMessage().state] }));
  assert.deepEqual(twice.answer, { canceled: 1, inFlight: 0 });
});
