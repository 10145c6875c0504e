/** A run as lines: one for each step, and one for its end. */
import colors from "picocolors";
import type { Run, StepGroup, StepLog } from "../../../sdk/src/answers/workflow.ts";
import type { RunState } from "../../../sdk/src/answers/words.ts";
import { plain } from "../terminal/output.ts";
import { durationText } from "../terminal/time-text.ts";

/** The steps of a run; parallel ones share a line. */
export function stepLines(run: Run, now: number): string[] {
  return run.steps.flatMap((group) => {
    const line = groupLine(group, now);
    return line === undefined ? [] : [line];
  });
}

/** Whether nothing in the line will change. */
export function isSettled({ steps }: StepGroup): boolean {
  return steps.every(({ state }) => state !== "STEP_PROGRESS" && state !== "STEP_RETRY");
}

export function groupLine({ type, steps }: StepGroup, now: number): string | undefined {
  const shown = steps.filter(({ stepType }) => stepType !== "Initial");
  if (shown.length === 0) return undefined;
  // What comes next has no name before the endpoint has answered. Why it does not answer is worth a line.
  if (type === "next" && shown.every(({ state }) => state !== "STEP_RETRY")) return undefined;
  return `  ${shown.map((step) => stepText(step, now)).join("  │  ")}`;
}

/** Of a run that has ended. */
export function endLine(run: Run): string {
  const { workflowState, workflowRunCreatedAt, workflowRunCompletedAt, failureFunction } = run;
  const took =
    workflowRunCompletedAt === undefined
      ? ""
      : ` in ${durationText(workflowRunCompletedAt - workflowRunCreatedAt)}`;
  const why = failureFunction?.failResponse ?? lastError(run);
  const reason =
    workflowState === "RUN_FAILED" && why !== undefined
      ? `: ${plain(why).slice(0, REASON_MAX)}`
      : "";
  return `${COLORS[workflowState](workflowState)}${took}${reason}`;
}

function lastError({ steps }: Run): string | undefined {
  const errors = steps.flatMap((group) => group.steps.flatMap(({ errors: list }) => list ?? []));
  const last = errors.at(-1);
  return last === undefined ? undefined : (last.message ?? last.error);
}

function stepText(step: StepLog, now: number): string {
  const { state, stepName, stepType, errors = [] } = step;
  const failed = errors.at(-1);
  const why = failed === undefined ? "" : ` ${plain(failed.message ?? failed.error)}`;
  const name = plain(stepName ?? stepType ?? "next step");
  switch (state) {
    case "STEP_SUCCESS":
      return `${colors.green("✓")} ${name}${colors.dim(doneText(step))}`;
    case "STEP_FAILED":
      return `${colors.red("✗")} ${name}${colors.red(why)}`;
    case "STEP_CANCELED":
      return colors.dim(`- ${name} (canceled)`);
    case "STEP_RETRY":
      return `${colors.yellow("↻")} ${name}${why}${nextText(step, now)}`;
    case "STEP_PROGRESS":
      return `… ${name}${colors.dim(waitText(step, now))}`;
  }
}

function doneText({ callResponseStatus, waitTimeout, waitEventId }: StepLog): string {
  if (callResponseStatus !== undefined) return ` (status ${callResponseStatus})`;
  if (waitTimeout === true) return " (timed out)";
  return waitEventId === undefined ? "" : ` (event ${plain(waitEventId)})`;
}

function waitText(step: StepLog, now: number): string {
  const { waitEventId, waitTimeoutDeadline, sleepUntil, sleepFor, nextDeliveryTime } = step;
  if (waitEventId !== undefined) {
    const left =
      waitTimeoutDeadline === undefined
        ? ""
        : `, times out in ${durationText(waitTimeoutDeadline - now)}`;
    return ` (event ${plain(waitEventId)}${left})`;
  }
  if (sleepUntil !== undefined) return wakesText(sleepUntil * 1_000, now);
  if (sleepFor !== undefined) return wakesText(nextDeliveryTime ?? now, now);
  const { invokedWorkflowRunId } = step;
  if (invokedWorkflowRunId !== undefined) return ` (run ${plain(invokedWorkflowRunId)})`;
  return nextText(step, now);
}

function wakesText(at: number, now: number): string {
  return at <= now ? "" : ` (wakes in ${durationText(at - now)})`;
}

function nextText({ nextDeliveryTime }: StepLog, now: number): string {
  return nextDeliveryTime === undefined || nextDeliveryTime <= now
    ? ""
    : ` (next attempt in ${durationText(nextDeliveryTime - now)})`;
}

const REASON_MAX = 200;
const COLORS: Readonly<Record<RunState, (text: string) => string>> = {
  RUN_STARTED: (text) => text,
  RUN_SUCCESS: colors.green,
  RUN_FAILED: colors.red,
  RUN_CANCELED: colors.dim,
};
