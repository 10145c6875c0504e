/** Where a run stands: its state in more detail than the API's word, and a sentence. */
import type { Run, StepError, StepLog } from "../../../sdk/src/answers/workflow.ts";
import { clockText, counted, idTail, roughText } from "../app/format.ts";
import { groupsOf, isEnded, kindOf, nameOf, UNNAMED } from "./run-log.ts";

/** A word of the chips: the API's, or what an open run does now. */
export function stateOf(run: Run): string {
  if (isEnded(run)) return run.workflowState;
  const open = openSteps(run);
  if (open.some(({ state }) => state === "STEP_RETRY")) return "STEP_RETRY";
  const kinds = new Set(open.map(kindOf));
  if (kinds.has("run") || kinds.has("call") || kinds.has("next")) return "RUN_STARTED";
  if (kinds.has("event")) return "waiting-for-event";
  return kinds.has("sleep") && !kinds.has("child") ? "sleeping" : "RUN_STARTED";
}

export function openSteps(run: Run): StepLog[] {
  return allSteps(run).filter(({ state }) => state === "STEP_PROGRESS" || state === "STEP_RETRY");
}

export function allSteps(run: Run): StepLog[] {
  return groupsOf(run).flatMap(({ steps }) => steps);
}

/** `9 of 10 steps`. A run that succeeded has no step left. */
export function stepCounts(run: Run): { readonly done: number; readonly all: number } {
  const steps = allSteps(run);
  return { done: steps.filter(({ state }) => state === "STEP_SUCCESS").length, all: steps.length };
}

export function failedStep(run: Run): StepLog | null {
  return allSteps(run).find(({ state }) => state === "STEP_FAILED") ?? null;
}

/** What holds the run, and until when; or how it ended. */
export function standsAt(run: Run, now: number): string {
  switch (run.workflowState) {
    case "RUN_FAILED": {
      const step = failedStep(run);
      return step === null ? "failed" : failureText(step);
    }
    case "RUN_SUCCESS": {
      const by =
        run.invoker === undefined ? "" : `, called by ${idTail(run.invoker.workflowRunId)}`;
      return `${counted(stepCounts(run).all, "step")}${by}`;
    }
    case "RUN_CANCELED": {
      const step = allSteps(run).find(({ state }) => state === "STEP_CANCELED");
      return step === undefined ? "canceled" : `canceled at “${nameOf(step)}”`;
    }
    case "RUN_STARTED": {
      const open = openSteps(run);
      const [first] = open.toSorted((one, other) => urgency(other) - urgency(one));
      if (first === undefined) return "";
      const others = open.length > 1 ? ` and ${open.length - 1} more` : "";
      return `${openText(first, now)}${others}`;
    }
  }
}

function urgency({ state, ...step }: StepLog): number {
  if (state === "STEP_RETRY") return 2;
  return kindOf({ state, ...step }) === "sleep" ? 0 : 1;
}

/** `book ledger: 500 after 4 attempts` */
export function failureText(step: StepLog): string {
  const errors = step.errors ?? [];
  const last = errors.at(-1);
  const why = last === undefined ? "failed" : errorWord(last);
  const name = nameOf(step) === UNNAMED ? "" : `${nameOf(step)}: `;
  return `${name}${why} after ${counted(Math.max(1, errors.length), "attempt")}`;
}

/** The status; what the server made of it where the status says nothing. */
export function errorWord({ status, error }: StepError): string {
  return status < 300 ? error : String(status);
}

export function openText(step: StepLog, now: number): string {
  const name = nameOf(step);
  if (step.state === "STEP_RETRY") {
    const number = step.errors?.length ?? 1;
    const of = step.retries === undefined ? "" : ` of ${step.retries}`;
    return `${name}: retry ${number}${of} ${untilText(step.nextDeliveryTime, now)}`;
  }
  const kind = kindOf(step);
  if (kind === "event") {
    const left = step.waitTimeoutDeadline;
    return `${step.waitEventId ?? name}${left === undefined ? "" : `, ${roughText(left - now)} left`}`;
  }
  const until = kind === "sleep" ? wakesAt(step) : null;
  return until === null ? name : `wakes ${untilText(until, now)}, ${clockText(until, now)}`;
}

export function wakesAt(step: StepLog): number | null {
  if (step.nextDeliveryTime !== undefined) return step.nextDeliveryTime;
  if (step.sleepUntil !== undefined) return step.sleepUntil * 1_000;
  if (step.sleepFor === undefined || step.createdAt === undefined) return null;
  return step.createdAt + step.sleepFor;
}

function untilText(at: number | undefined, now: number): string {
  if (at === undefined) return "soon";
  return at > now ? `in ${roughText(at - now)}` : "due now";
}

/** How long the run has taken, or takes until now. */
export function tookMs(run: Run, now: number): number {
  return Math.max(0, (run.workflowRunCompletedAt ?? now) - run.workflowRunCreatedAt);
}
