import { mapMessage } from "../../act-parts.ts";
import type { RemoveDeadLettersAct, RetryDeadLetterAct } from "../../act.ts";
import type { Change } from "../../change.ts";
import type { DeadLetterKey } from "../../model/message/dead-letter.ts";
import type { Rule } from "../../rule.ts";
import { addMessage } from "./publish.ts";

/** Removes dead letters and answers which existed; the others are skipped. */
export const removeDeadLetters: Rule<RemoveDeadLettersAct> = {
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

/**
 * Replaces a dead letter with a new message. Only the act that removes the letter makes the
 * message, so it is made once.
 */
export const retryDeadLetter: Rule<RetryDeadLetterAct> = {
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
