import type { SendNowAct } from "../../act.ts";
import { type MessageState, NO_DELAY } from "../../model/message/message-state.ts";
import type { Rule } from "../../rule.ts";

/**
 * Ends the delay of a waiting message, or the wait for its next retry. Its line still limits it. A
 * step of a run that was never tried may be a sleep, which is left alone.
 */
export const sendNow: Rule<SendNowAct> = {
  needs: ({ key }) => ({ messages: [key] }),
  decide: ({ key, at }, rows) => {
    const state = rows.message(key);
    if (state === null || state.cancelRequested) return { changes: [], answer: "ended" };
    if (state.phase === "active") return { changes: [], answer: "active" };
    if (state.run !== null && state.attempts === 0) return { changes: [], answer: "asleep" };
    if (state.readyAt <= at) return { changes: [], answer: "due" };
    const { accountId, line } = state;
    return {
      changes: [
        { type: "message.changed", state: { ...state, readyAt: readyAtOf(state, at) } },
        { type: "line.due", accountId, line, at },
      ],
      answer: "due",
    };
  },
};

function readyAtOf({ lineAfter }: MessageState, at: number): number {
  return lineAfter === null ? at : NO_DELAY;
}
