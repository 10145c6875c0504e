import type { Instant } from "../model/time.ts";
import type { MessageState } from "../model/message/message-state.ts";

/** A bulk action on messages that have not ended. */
export type LiveAction =
  | { readonly action: "cancel" }
  /** `at` is the present. */
  | { readonly action: "send-now"; readonly at: Instant };

/**
 * Whether the action changes the message. Messages of runs are not canceled one by one, and one that
 * was never tried may be a sleep, which is left alone.
 */
export function wouldChange(target: LiveAction, state: MessageState): boolean {
  if (state.cancelRequested) return false;
  if (target.action === "cancel") return state.run === null;
  const isSleep = state.run !== null && state.attempts === 0;
  return state.phase === "waiting" && state.readyAt > target.at && !isSleep;
}
