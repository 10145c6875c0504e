import assert from "node:assert/strict";
import { test } from "node:test";
import { aNewMessage, type MessageWish } from "../../../../test/support/messages.ts";
import type { Change } from "../../change.ts";
import type { MessageState } from "../../model/message/message.ts";
import { endMessage, freeLine } from "./end-message.ts";

const keyed = { flowControl: { key: "key", periodMs: 1 } };

test("the end of a free message is its end", () => {
  const state = stateOf({ leasedBy: "node" });
  assert.deepEqual(endMessage(state), [{ type: "message.ended", key: state }]);
});

test("an attempt under a key makes room for the next one; one that waits held none", () => {
  const due = { type: "line.freed", accountId: "account", line: "k:key" };
  assert.deepEqual(freeLine(stateOf({ ...keyed, leasedBy: "node" })), [due]);
  assert.deepEqual(freeLine(stateOf(keyed)), []);
  assert.deepEqual(endMessage(stateOf({ ...keyed, leasedBy: "node" })).at(-1), due);
});

test("a message that its queue let through makes room in it, unless it is followed", () => {
  const queued = stateOf({ queueName: "queue" });
  const admitted = { ...queued, line: "h:example.test", lineAfter: null, queue: "q:queue" };
  const freed: Change = { type: "line.freed", accountId: "account", line: "q:queue" };
  assert.deepEqual(endMessage(admitted).at(-1), freed);
  assert.deepEqual(endMessage(queued), [{ type: "message.ended", key: queued }]);
  const followUp: Change = { type: "message.added", message: aNewMessage() };
  const ended: Change = { type: "message.ended", key: admitted };
  assert.deepEqual(endMessage(admitted, [followUp]), [ended, followUp]);
});

function stateOf(wish: MessageWish): MessageState {
  return aNewMessage(wish).state;
}
