import type { Change } from "../../change.ts";
import type { Instant } from "../../model/time.ts";
import { type MessageState, POISON_LOSSES, type Lease } from "../../model/message/message.ts";
import type { Rule } from "../../rule.ts";
import { freeLine, endCanceled } from "./end-message.ts";

/** Gives a lease back unused: nothing was sent, or no node will settle it. */
export interface HandBackAct {
  readonly rule: "hand-back";
  readonly at: Instant;
  readonly lease: Lease;
}

/** Gives a lease back: the message waits again, and no attempt or loss is counted. */
export const handBack: Rule<HandBackAct, "waiting" | "canceled" | "stale"> = {
  needs: ({ lease }) => ({ messages: [lease] }),
  decide: ({ lease, at }, rows) => {
    const state = rows.message(lease);
    if (state === null || state.fence !== lease.fence || state.phase !== "active") {
      return { changes: [], answer: "stale" };
    }
    return state.cancelRequested
      ? { changes: endCanceled(state, at), answer: "canceled" }
      : { changes: waitAgain(state, at, state.losses), answer: "waiting" };
  },
};

/** The state of a message after its node has died. */
interface Loss {
  readonly kind: "waiting" | "canceled" | "poison";
  readonly changes: Change[];
}

export const POISON_ERROR = "poison message: the service stopped each time it was being sent";

/**
 * A lost lease uses up no retry. A message that keeps killing its node is poison: the node that
 * finds it takes the lease only to settle it as dead.
 */
export function loseLease(state: MessageState, nodeId: string, at: Instant): Loss {
  if (state.cancelRequested) return { kind: "canceled", changes: endCanceled(state, at) };
  const losses = state.losses + 1;
  if (losses < POISON_LOSSES) return { kind: "waiting", changes: waitAgain(state, at, losses) };
  const taken = { ...state, losses, nodeId, leasedAt: at, fence: state.fence + 1 };
  return { kind: "poison", changes: [{ type: "message.changed", state: taken }] };
}

function waitAgain(state: MessageState, at: Instant, losses: number): Change[] {
  const { accountId, line } = state;
  return [
    {
      type: "message.changed",
      state: {
        ...state,
        phase: "waiting",
        fence: state.fence + 1,
        nodeId: null,
        leasedAt: null,
        readyAt: at,
        losses,
      },
    },
    ...freeLine(state),
    { type: "line.due", accountId, line, at },
  ];
}
