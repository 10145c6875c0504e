import type { RunRef } from "../core/acts/runs.ts";
import type { RunEntry } from "../core/model/run-entry.ts";
import { Problem } from "../core/problem.ts";
import type { Context } from "./context.ts";

const NOTHING = new Uint8Array(0);

/** The entries of a run that has not ended, for an endpoint to which they were too large to send. */
export async function listEntries(context: Context, ref: RunRef): Promise<readonly RunEntry[]> {
  const { reader } = context.store;
  const stored = await reader.run(ref);
  if (stored === null || stored.state.phase !== "started") throw runNotFound(ref);
  return reader.runEntries(stored.state);
}

/** The workflow has come to its end. It may have done so before, and the answer been lost. */
export async function finishRun(
  context: Context,
  ref: RunRef,
  response: Uint8Array,
): Promise<void> {
  await endRun(context, ref, "success", response);
}

/** Ends a run before its end. */
export async function cancelRun(context: Context, ref: RunRef): Promise<void> {
  if (!(await endRun(context, ref, "cancelled", NOTHING))) throw runNotFound(ref);
}

/** False when it had ended before. Whoever waits for the run is told in the same transaction. */
export async function endRun(
  { store, clock, ids, bell }: Context,
  ref: RunRef,
  phase: "success" | "cancelled",
  response: Uint8Array,
): Promise<boolean> {
  const stored = await store.reader.run(ref);
  if (stored === null || stored.state.phase !== "started") return false;
  const { accountId, runId, createdAt, run } = stored.state;
  const at = clock.now();
  const { invoker } = run;
  const answer = await store.act({
    rule: "end-run",
    at,
    ref: { accountId, runId, createdAt },
    phase,
    response,
    invoker: invoker
      ? {
          accountId,
          runId: invoker.runId,
          createdAt: invoker.createdAt,
          stepId: invoker.step.stepId,
        }
      : null,
    invokerMessageId: ids.sortable("msg_", at),
  });
  if (invoker) bell.ring();
  return answer === "ended";
}

function runNotFound({ runId }: RunRef): Problem {
  return new Problem("not-found", `workflowRun ${runId} not found`);
}
