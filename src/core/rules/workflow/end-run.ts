import type { Change } from "../../change.ts";
import type { Instant } from "../../model/time.ts";
import {
  isActive,
  type RunFailure,
  type RunPhase,
  type RunState,
  type RunRef,
} from "../../model/workflow/run.ts";
import type { Rows, Rule } from "../../rule.ts";
import { endMessage } from "../message/end-message.ts";
import { invokerNeed, tellInvoker } from "./invoker.ts";

export interface RunEnding {
  /** What the workflow returned. */
  readonly response: Uint8Array;
  /** The run that waits for this one and its step, as read before the act. */
  readonly invoker: (RunRef & { readonly stepId: number }) | null;
  /** The id of the message that reports the end to that run. */
  readonly invokerMessageId: string;
}

/** Ends a run: the workflow has returned, or a caller cancels it. */
export interface EndRunAct extends RunEnding {
  readonly rule: "end-run";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly phase: "success" | "canceled";
}

/**
 * Ends a run that has finished or that a caller cancels, and notifies the run that waits for it.
 */
export const endRun: Rule<EndRunAct, "ended" | "absent"> = {
  needs: ({ ref, invoker }) => ({
    runs: [{ ref, messages: true }, ...(invoker === null ? [] : [invokerNeed(invoker)])],
  }),
  decide: (act, rows) => {
    const { ref, phase, at, response } = act;
    const state = rows.runs.find(ref);
    if (!isActive(state)) return { changes: [], answer: "absent" };
    const returned = phase === "success" ? response : null;
    return {
      changes: [
        ...ended(state, { phase, at, response: returned, failure: null }, rows),
        ...tellInvoker(state.run, { phase, response: returned }, act.invokerMessageId, at, rows),
      ],
      answer: "ended",
    };
  },
  mapParts: (act, map) => ({ ...act, response: map.body(act.response) }),
};

export interface Ending {
  readonly phase: Exclude<RunPhase, "started">;
  readonly at: Instant;
  readonly response: Uint8Array | null;
  readonly failure: RunFailure | null;
}

/** The run has ended: nothing more is sent for it, and its waiters and events are deleted. */
export function ended(state: RunState, ending: Ending, rows: Rows): Change[] {
  const { phase, at, response, failure } = ending;
  return [
    { type: "run.ended", run: { ...state, phase, endedAt: at, failure }, response },
    ...dropMessages(state, ending, rows),
  ];
}

/** Waiting messages end at once. An attempt in progress may still end, and is not retried. */
function dropMessages(state: RunState, { at, failure }: Ending, rows: Rows): Change[] {
  return rows.runs.messages(state).flatMap((message): Change[] => {
    // The message that the run fails with is settled by the act that found the failure.
    if (message.messageId === failure?.messageId) return [];
    if (message.phase === "active") {
      return [{ type: "message.changed", state: { ...message, cancelRequested: true } }];
    }
    const { accountId, messageId } = message;
    return [
      { type: "log.added", entry: { accountId, messageId, at, state: "CANCELED" } },
      ...endMessage(message),
    ];
  });
}
