import type { Change } from "../../change.ts";
import type { Rule } from "../../rule.ts";
import { wouldChange } from "../../views/matches-message.ts";
import type { MessageKey } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import { cancelMessage } from "./end-message.ts";

export interface CancelAnswer {
  readonly canceled: number;
  /** Of those, messages with an attempt in progress, which may still end. */
  readonly inFlight: number;
}

export interface CancelAct {
  readonly rule: "cancel";
  readonly at: Instant;
  readonly keys: readonly MessageKey[];
}

/**
 * Cancels messages that have not ended. A waiting message ends at once; one with an attempt in
 * progress is marked, and ends with the attempt. A message is counted once, however often it is
 * canceled.
 */
export const cancel: Rule<CancelAct, CancelAnswer> = {
  needs: ({ keys }) => ({ messages: keys }),
  decide: ({ keys, at }, rows) => {
    const changes: Change[] = [];
    const counted = new Set<string>();
    let inFlight = 0;
    for (const key of keys) {
      const state = rows.message(key);
      if (state === null || counted.has(key.messageId)) continue;
      // A run without one of its messages would never end, so runs are canceled as a whole.
      if (!wouldChange({ action: "cancel" }, state)) continue;
      counted.add(key.messageId);
      const { accountId, messageId } = state;
      changes.push({
        type: "log.added",
        entry: { accountId, messageId, at, state: "CANCEL_REQUESTED" },
      });
      if (state.phase === "active") inFlight += 1;
      changes.push(...cancelMessage(state, at));
    }
    return { changes, answer: { canceled: counted.size, inFlight } };
  },
};
