import type { Change } from "../../change.ts";
import type { Instant } from "../../model/time.ts";
import { type MessageState, NO_DELAY, type MessageKey } from "../../model/message/message.ts";
import type { Rule } from "../../rule.ts";
import { wouldChange } from "../../views/matches-message.ts";

export interface SendNowAct {
  readonly rule: "send-now";
  readonly at: Instant;
  readonly key: MessageKey;
}

/**
 * Ends the delay of a waiting message, or the wait for its next retry. Its line still limits it. A
 * step of a run that was never tried may be a sleep, which is left alone.
 */
export const sendNow: Rule<SendNowAct, "due" | "active" | "asleep" | "ended"> = {
  needs: ({ key }) => ({ messages: [key] }),
  decide: ({ key, at }, rows) => {
    const state = rows.message(key);
    if (state === null || state.cancelRequested) return { changes: [], answer: "ended" };
    if (state.phase === "active") return { changes: [], answer: "active" };
    if (state.run !== null && state.attempts === 0) return { changes: [], answer: "asleep" };
    if (state.readyAt <= at) return { changes: [], answer: "due" };
    return { changes: dueAt(state, at, at), answer: "due" };
  },
};

/** Makes many waiting messages due, each at an instant of its own. */
export interface SendManyNowAct {
  readonly rule: "send-many-now";
  readonly at: Instant;
  readonly messages: readonly { readonly key: MessageKey; readonly dueAt: Instant }[];
}

/** Answers how many waited for a time; one that is due sooner by itself stays, and counts. */
export const sendManyNow: Rule<SendManyNowAct, number> = {
  needs: ({ messages }) => ({ messages: messages.map(({ key }) => key) }),
  decide: ({ messages, at }, rows) => {
    const changes: Change[] = [];
    let count = 0;
    for (const { key, dueAt: instant } of messages) {
      const state = rows.message(key);
      if (state === null || !wouldChange({ action: "send-now", at }, state)) continue;
      count += 1;
      if (state.readyAt > instant) changes.push(...dueAt(state, instant, at));
    }
    return { changes, answer: count };
  },
};

/** In a queue only a delay makes a message wait. */
function dueAt(state: MessageState, instant: Instant, now: Instant): Change[] {
  const { accountId, line, lineAfter } = state;
  const readyAt = lineAfter !== null && instant <= now ? NO_DELAY : instant;
  return [
    { type: "message.changed", state: { ...state, readyAt } },
    { type: "line.due", accountId, line, at: instant },
  ];
}
