import type { Change } from "../../change.ts";
import type { Instant } from "../../model/time.ts";
import type { Run, RunPhase, RunRef } from "../../model/workflow/run.ts";
import { resultKey } from "../../model/workflow/step.ts";
import type { Rows, RunNeed } from "../../rule.ts";
import { grow } from "./run-entries.ts";
import { dueNow, addRunMessage } from "./run-message.ts";

/** How the invoked run ended. */
export interface InvokedEnd {
  readonly phase: Exclude<RunPhase, "started">;
  readonly response: Uint8Array | null;
}

/** The rows of the invoker that `tellInvoker` needs. */
export function invokerNeed({ stepId, ...ref }: RunRef & { readonly stepId: number }): RunNeed {
  return { ref, stepKeys: [resultKey(stepId)] };
}

/**
 * Delivers the end of a run to the step that waits for it. An invoker that has failed meanwhile
 * stores the result for when it is resumed, and is not called.
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
