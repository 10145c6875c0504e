import { mapMessage, type Rule } from "../../rule.ts";
import type { Change, NewMessage } from "../../change.ts";
import type { DeadLetterKey } from "../../model/message/dead-letter.ts";
import { addMessage, type PublishAnswer } from "./publish.ts";
import type { Instant } from "../../model/time.ts";

export interface RemoveDeadLettersAct {
  readonly rule: "remove-dead-letters";
  readonly keys: readonly DeadLetterKey[];
}

/** Removes dead letters and answers which existed; the others are skipped. */
export const removeDeadLetters: Rule<RemoveDeadLettersAct, readonly DeadLetterKey[]> = {
  needs: ({ keys }) => ({ deadLetters: keys }),
  decide: ({ keys }, rows) => {
    const there = new Map<string, DeadLetterKey>();
    for (const key of keys) {
      if (rows.deadLetter(key)) there.set(`${key.diedAt}-${key.number}`, key);
    }
    const answer = [...there.values()];
    const changes = answer.map((key): Change => ({ type: "dead-letter.removed", key }));
    return { changes, answer };
  },
};

export interface RetryDeadLetterAct {
  readonly rule: "retry-dead-letter";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly message: NewMessage;
}

/** Only the act that removes the letter makes the message, so it is made once. */
export const retryDeadLetter: Rule<RetryDeadLetterAct, PublishAnswer | null> = {
  needs: ({ key }) => ({ deadLetters: [key] }),
  decide: ({ key, message }, rows) => {
    const letter = rows.deadLetter(key);
    // A run is resumed or restarted as a whole.
    if (letter === null || letter.run !== undefined) return { changes: [], answer: null };
    return {
      changes: [{ type: "dead-letter.removed", key }, ...addMessage(message)],
      answer: { messageId: message.state.messageId, deduplicated: false },
    };
  },
  mapParts: (act, map) => ({ ...act, message: mapMessage(act.message, map) }),
};
