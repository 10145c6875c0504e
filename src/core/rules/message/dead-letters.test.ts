import assert from "node:assert/strict";
import { test } from "node:test";

import { aNewMessage } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { removeDeadLetters, retryDeadLetter } from "./dead-letters.ts";

const key = { accountId: "account", diedAt: 5, number: 1 };
const other = { ...key, number: 2 };
const letter = { ...key, messageId: "message", attempt: 1, status: 500, cause: "status 500" };

test("those that are there are removed, each once", () => {
  const act = { rule: "remove-dead-letters", keys: [key, other, key] } as const;
  assert.deepEqual(removeDeadLetters.needs(act), { deadLetters: act.keys });
  assert.deepEqual(removeDeadLetters.decide(act, rowsOf({ deadLetters: [letter] })), {
    changes: [{ type: "dead-letter.removed", key }],
    answer: [key],
  });
});

test("the act that removes the letter makes the message", () => {
  const message = aNewMessage({ messageId: "again" });
  const act = { rule: "retry-dead-letter", at: 9, key, message } as const;
  assert.deepEqual(retryDeadLetter.needs(act), { deadLetters: [key] });
  const { changes, answer } = retryDeadLetter.decide(act, rowsOf({ deadLetters: [letter] }));
  assert.deepEqual(answer, { messageId: "again", deduplicated: false });
  assert.deepEqual(
    changes.map(({ type }) => type),
    ["dead-letter.removed", "message.added", "log.added", "line.due"],
  );
  assert.deepEqual(retryDeadLetter.decide(act, rowsOf({})), { changes: [], answer: null });
});
