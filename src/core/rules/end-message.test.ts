import assert from "node:assert/strict";
import { test } from "node:test";

import { aNewMessage, type MessageWish } from "../../../test/support/messages.ts";
import type { MessageState } from "../model/message-state.ts";
import { endMessage, freeLine } from "./end-message.ts";

const AT = 3_000;
const keyed = { flowControl: { key: "key", periodMs: 1 } };

test("the end of a free message is its end", () => {
  const state = stateOf({ leasedBy: "node" });
  assert.deepEqual(endMessage(state, AT), [{ type: "message.ended", key: state }]);
});

test("an attempt under a key makes room for the next one; one that waits held none", () => {
  const due = { type: "line.freed", accountId: "account", line: "k:key", at: AT };
  assert.deepEqual(freeLine(stateOf({ ...keyed, leasedBy: "node" }), AT), [due]);
  assert.deepEqual(freeLine(stateOf(keyed), AT), []);
  assert.deepEqual(endMessage(stateOf({ ...keyed, leasedBy: "node" }), AT).at(-1), due);
});

test("a message releases its queue's slot, wherever it stands", () => {
  const queued = stateOf({ queueName: "queue" });
  const admitted = { ...queued, line: "h:example.test", lineAfter: null };
  for (const state of [queued, admitted]) {
    assert.deepEqual(endMessage(state, AT).at(-1), {
      type: "hold.changed",
      accountId: "account",
      rootId: "message",
      by: -1,
    });
  }
});

function stateOf(wish: MessageWish): MessageState {
  return aNewMessage(wish).state;
}
