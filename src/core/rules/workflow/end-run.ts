import type { Change } from "../../change.ts";
import type { Instant } from "../../model/time.ts";
import {
  isActive,
  type RunFailure,
  type RunPhase,
  type RunState,
  type RunRef,
  type Run,
  resultKey,
} from "../../model/workflow/run.ts";
import type { Rows, Rule, RunNeed } from "../../rule.ts";
import { grow } from "./run-entries.ts";
import { dueNow, addRunMessage } from "./run-message.ts";
import { cancelMessage } from "../message/end-message.ts";

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

/** Ends a run that has finished or is canceled, and notifies the run that waits for it. */
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

interface Ending {
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
  // The message that the run fails with is settled by the act that found the failure.
  const others = rows.runs.messages(state).filter((one) => one.messageId !== failure?.messageId);
  return others.flatMap((message) => cancelMessage(message, at));
}

interface InvokedEnd {
  readonly phase: Exclude<RunPhase, "started">;
  readonly response: Uint8Array | null;
}

/** The rows of the invoker that `tellInvoker` needs. */
export function invokerNeed({ stepId, ...ref }: RunRef & { readonly stepId: number }): RunNeed {
  return { ref, stepKeys: [resultKey(stepId)] };
}

/**
 * An invoker that has failed meanwhile stores the result for when it is resumed, and is not called.
 */
export function tellInvoker(
  { invoker }: Run,
  end: InvokedEnd,
  messageId: string,
  at: Instant,
  rows: Rows,
): Change[] {
  if (invoker === undefined) return [];
  const parent = rows.runs.find(invoker);
  if (parent === null || (parent.phase !== "started" && parent.phase !== "failed")) return [];
  const stepKey = resultKey(invoker.step.stepId);
  if (rows.runs.firstOf(parent, stepKey) !== null) return [];
  const body = new TextEncoder().encode(
    JSON.stringify({ ...invoker.step, out: JSON.stringify(outOf(end)) }),
  );
  const { state, ordinal, change } = grow(parent, { kind: "result", messageId, stepKey, at, body });
  const changes: Change[] = [{ type: "run.changed", run: state }, change];
  if (parent.phase === "failed") return changes;
  const requested = dueNow(invoker.requested, messageId, at);
  return [
    ...changes,
    ...addRunMessage(state, { kind: "step", requested, ordinal, nodeId: null }).changes,
  ];
}

/** A workflow's return value is JSON text; without one there is no body. */
function outOf({ phase, response }: InvokedEnd): object {
  return {
    body:
      response === null || response.byteLength === 0
        ? undefined
        : new TextDecoder().decode(response),
    isCanceled: phase === "canceled",
    isFailed: phase === "failed",
  };
}
