import type { Instant } from "../../core/model/time.ts";
import { type Step, openKey, planKey, resultKey } from "../../core/model/workflow/run.ts";
import { wantedMembers } from "../../core/policy/limits/json-members.ts";
import { Problem, type ProblemKind } from "../../core/problem.ts";
import { invalidRequest, NO_DOT_SEGMENT } from "../headers/header-value.ts";
import { bodyReader, readerOf } from "../json/schema-reader.ts";
import {
  inlineObject,
  integer,
  orNull,
  refusedAs,
  type Schema,
  text,
  type TypeOf,
  withKeywords,
} from "../json/schema.ts";

/** A submitted step: its result, or the plan to run it in parallel with others. */
export interface SubmittedStep {
  readonly kind: "plan" | "result";
  readonly stepKey: string;
  /** The event id of the webhook that the step has created. */
  readonly hookId?: string | undefined;
  /** The instant until which the step sleeps. */
  readonly sleepUntil?: Instant | undefined;
}

const COUNT_MAX = 1_000_000;
const NAMES = { stepName: nameOf("Its name.", "charge"), stepType: nameOf("Its kind.", "Run") };

/** The step that a wait or an invocation opens. */
export const OPENED_STEP = inlineObject(
  { stepId: countFrom(1, "Its number in the run."), ...NAMES },
  { concurrent: orNull(countFrom(0, "How many run side by side with it. Default: 1.")) },
);

/** The fields that decide what happens; the bytes of the step are passed on unchanged. */
const SUBMITTED_STEP = refusedAs(
  "must be the JSON object of a step",
  inlineObject({ stepId: countFrom(0), ...NAMES }, { targetStep: {}, sleepUntil: {}, out: {} }),
);

const readOpened = readerOf(OPENED_STEP);
const readTarget = readerOf(countFrom(1));
const readSubmitted = bodyReader(SUBMITTED_STEP, Infinity);

export function readSubmittedStep(body: Uint8Array): SubmittedStep {
  const { stepId, stepType, targetStep, sleepUntil, out } = readSubmitted(body);
  const step: SubmittedStep =
    stepId > 0
      ? { kind: "result", stepKey: resultKey(stepId) }
      : { kind: "plan", stepKey: planKey(readTarget(targetStep, "targetStep")) };
  if (stepType === "SleepUntil") return { ...step, sleepUntil: instantIn(sleepUntil) };
  const isWebhook = stepId > 0 && stepType === "CreateWebhook";
  return isWebhook ? { ...step, hookId: hookIdIn(out) } : step;
}

/** Unix seconds, with a fraction or without, as milliseconds. */
function instantIn(seconds: unknown): Instant | undefined {
  if (typeof seconds !== "number" || seconds < 0) return undefined;
  const instant = Math.ceil(seconds * 1_000);
  return Number.isSafeInteger(instant) ? instant : undefined;
}

/** The event id in the result of a step that has created a webhook; undefined when it has none. */
function hookIdIn(out: unknown): string | undefined {
  if (typeof out !== "string") return undefined;
  const { eventId } = wantedMembers(new TextEncoder().encode(out), EVENT_ID_MEMBER);
  return typeof eventId === "string" && isEventId(eventId) ? eventId : undefined;
}

export function openedStep({ concurrent, ...step }: TypeOf<typeof OPENED_STEP>): Step {
  return { ...step, concurrent: concurrent ?? 1 };
}

/** A call's step, from the headers of the callback that reports its end. */
export function readCalledStep(read: (suffix: string) => string | undefined): Step {
  const given = (suffix: string, field: string): string => {
    const value = read(`workflow-${suffix}`);
    if (value === undefined) throw invalidRequest(`Callback-Forward-Workflow-${field}: is missing`);
    return value;
  };
  const step = {
    stepId: Number(given("stepid", "StepId")),
    stepName: given("stepname", "StepName"),
    stepType: given("steptype", "StepType"),
    concurrent: Number(read("workflow-concurrent") ?? "1"),
  };
  return openedStep(readOpened(step, "call"));
}

/**
 * Runs `read`. A client takes every 400 for the end of its run, so a malformed step is refused with
 * another status.
 */
export function asStepError<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw faultOfStep(error);
  }
}

/** The same for errors that occur later. */
export async function asStepErrorAsync<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    throw faultOfStep(error);
  }
}

/** A step that is too large will not become smaller: clients give up after a quota error. */
function faultOfStep(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  const { kind, field, message } = error;
  if (kind === "invalid-request") return about(field, "invalid-step", message);
  if (kind !== "body-too-large") return error;
  return about(field, "quota-exceeded", `quota maxMessageSize exceeded: ${message}`);
}

function about(field: string | undefined, kind: ProblemKind, sentence: string): Problem {
  return field === undefined ? new Problem(kind, sentence) : Problem.about(field, kind, sentence);
}

export const callKey = ({ stepId }: Step): string => openKey(stepId);

export function isEventId(name: string): boolean {
  return EVENT_ID.test(name);
}

function countFrom(minimum: number, description?: string): Schema<number> {
  return withKeywords(integer(description), { minimum, maximum: COUNT_MAX });
}

function nameOf(description: string, example: string): Schema<string> {
  return withKeywords(text(description, example), { minLength: 1, maxLength: 1_024 });
}

const EVENT_ID_MEMBER = new Set(["eventId"] as const);
const EVENT_ID = new RegExp(`${NO_DOT_SEGMENT}[^\\u0000-\\u001f\\u007f]{1,512}$`, "u");
