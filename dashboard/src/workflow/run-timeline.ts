/** When each step of a run began and ended, with its attempts, from the run's log and its events. */
import type { Run, StepError, StepGroup, StepLog } from "../../../sdk/src/answers/workflow.ts";
import type { RunEvent } from "../answers/workflow.ts";
import { groupsOf, isEnded, kindOf, nameOf, payloadOf, type StepKind } from "./run-log.ts";
import { wakesAt } from "./run-state.ts";

export interface StepAttempt {
  readonly number: number;
  /** Due then, which is when it was sent unless something held it back. */
  readonly startedAt: number;
  /** Null while it is under way. */
  readonly endedAt: number | null;
  /** Null when it did not fail. */
  readonly error: StepError | null;
}

export interface TimedStep {
  readonly key: string;
  readonly step: StepLog;
  readonly kind: StepKind;
  readonly name: string;
  readonly startedAt: number;
  /** Null while the step is open. */
  readonly endedAt: number | null;
  readonly attempts: readonly StepAttempt[];
  /** The names of the steps beside it, if it is one of several in parallel. */
  readonly besides: readonly string[];
  readonly place: "alone" | "first" | "between" | "last";
  /** Done by the run that this one resumes, before it began. */
  readonly isCarriedOver: boolean;
}

/** What the next steps follow: the delivery in which the endpoint does them. */
interface Front {
  readonly at: number;
  readonly messageId: string;
}

interface Facts {
  readonly run: Run;
  /** When each message was made. */
  readonly madeAt: ReadonlyMap<string, number>;
  readonly failures: readonly RunEvent[];
}

export function timelineOf(run: Run, events: readonly RunEvent[]): TimedStep[] {
  const inOrder = events.toSorted((one, other) => one.time - other.time);
  const facts: Facts = {
    run,
    madeAt: new Map(
      inOrder
        .filter(({ state, messageId }) => state === "STEP_PROGRESS" && messageId !== undefined)
        .map(({ messageId, time }) => [messageId!, time]),
    ),
    failures: inOrder.filter(({ state }) => state === "STEP_RETRY" || state === "STEP_FAILED"),
  };
  let front: Front = {
    at: run.workflowRunCreatedAt,
    messageId: payloadOf(run)?.messageId ?? "",
  };
  return groupsOf(run).flatMap((group, index) => {
    const timed = group.steps.map((step, at) =>
      timedStep(facts, front, group, step, `${index}.${at}`),
    );
    const last = timed.toSorted((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0)).at(-1);
    if (last !== undefined) {
      front = { at: last.endedAt ?? last.startedAt, messageId: last.step.messageId };
    }
    return timed;
  });
}

function timedStep(
  facts: Facts,
  front: Front,
  { type, steps }: StepGroup,
  step: StepLog,
  key: string,
): TimedStep {
  const kind = kindOf(step);
  if (isCarriedOver(facts.run, step)) return carriedOver(facts.run, steps, step, key);
  // A step in sequence is made in the delivery of the step before it, whose failures are its own.
  const before = type === "parallel" ? [] : failuresOf(facts, front.messageId);
  const isMadeThen = kind === "run" && type === "sequential";
  const own = kind === "next" ? [] : (step.errors ?? []);
  const isFromFront = isMadeThen || kind === "next" || before.length > 0;
  const begunAt = isFromFront ? front.at : (step.createdAt ?? front.at);
  // A step that is done again was planned before the run that resumes it.
  const startedAt = Math.max(facts.run.workflowRunCreatedAt, begunAt);
  const endedAt = endOf(facts, step, kind, isMadeThen);
  const errors = [...(kind === "next" ? (step.errors ?? []) : before), ...own];
  const names = steps.map(nameOf);
  const at = steps.indexOf(step);
  return {
    key: step.stepId === undefined ? `next-${key}` : String(step.stepId),
    step,
    kind,
    name: nameOf(step),
    startedAt,
    endedAt: endedAt === null ? null : Math.max(startedAt, endedAt),
    attempts: attemptsOf(facts, step, startedAt, endedAt, errors),
    besides: steps.length > 1 ? names.filter((_, index) => index !== at) : [],
    place: placeOf(at, steps.length),
    isCarriedOver: false,
  };
}

/** A run that is resumed keeps the steps that are done, with the times that they had. */
function isCarriedOver({ rerunOf, workflowRunCreatedAt }: Run, step: StepLog): boolean {
  const { state, createdAt = workflowRunCreatedAt } = step;
  return rerunOf !== undefined && state === "STEP_SUCCESS" && createdAt < workflowRunCreatedAt;
}

/** Of no length, where the run begins. */
function carriedOver(
  { workflowRunCreatedAt: at }: Run,
  steps: StepGroup["steps"],
  step: StepLog,
  key: string,
): TimedStep {
  const index = steps.indexOf(step);
  return {
    key: step.stepId === undefined ? `next-${key}` : String(step.stepId),
    step,
    kind: kindOf(step),
    name: nameOf(step),
    startedAt: at,
    endedAt: at,
    attempts: [],
    besides: steps.filter((other) => other !== step).map(nameOf),
    place: placeOf(index, steps.length),
    isCarriedOver: true,
  };
}

function placeOf(at: number, count: number): TimedStep["place"] {
  if (count < 2) return "alone";
  if (at === 0) return "first";
  return at === count - 1 ? "last" : "between";
}

function endOf({ run, madeAt }: Facts, step: StepLog, kind: StepKind, isMadeThen: boolean) {
  const stoppedAt = run.workflowRunCompletedAt ?? null;
  if (step.state === "STEP_FAILED") return step.errors?.at(-1)?.time ?? stoppedAt;
  if (step.state !== "STEP_SUCCESS") return isEnded(run) ? stoppedAt : null;
  if (isMadeThen) return step.createdAt ?? null;
  const wakes = kind === "sleep" ? wakesAt(step) : null;
  if (wakes !== null) return stoppedAt === null ? wakes : Math.min(wakes, stoppedAt);
  return madeAt.get(step.messageId) ?? step.createdAt ?? stoppedAt;
}

function failuresOf({ failures }: Facts, messageId: string): StepError[] {
  return failures
    .filter((event) => event.messageId === messageId && event.state === "STEP_RETRY")
    .map((event) => ({
      error: event.error ?? "no answer",
      status: event.responseStatus ?? 0,
      time: event.time,
      ...(event.responseBody === undefined ? {} : { body: event.responseBody }),
      ...(event.responseHeaders === undefined ? {} : { headers: event.responseHeaders }),
    }));
}

function attemptsOf(
  { failures }: Facts,
  step: StepLog,
  startedAt: number,
  endedAt: number | null,
  errors: readonly StepError[],
): StepAttempt[] {
  let dueAt = startedAt;
  const failed = errors.map((error, index): StepAttempt => {
    const attempt = {
      number: index + 1,
      startedAt: Math.min(dueAt, error.time),
      endedAt: error.time,
      error,
    };
    dueAt = Math.max(error.time, retryAfter(failures, error.time) ?? error.time);
    return attempt;
  });
  const isOver = step.state === "STEP_FAILED" || step.state === "STEP_CANCELED";
  if (isOver || step.state === "STEP_RETRY") return failed;
  const last = { number: failed.length + 1, startedAt: dueAt, endedAt, error: null };
  return [...failed, last];
}

/** An event is written a moment after the attempt that it tells of. */
function retryAfter(failures: readonly RunEvent[], endedAt: number): number | undefined {
  return failures.find(({ time, state }) => {
    return state === "STEP_RETRY" && time >= endedAt && time - endedAt < WRITTEN_WITHIN_MS;
  })?.nextDeliveryTime;
}

const WRITTEN_WITHIN_MS = 1_000;
