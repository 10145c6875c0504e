import type { Instant } from "../../core/model/time.ts";
import type { Step } from "../../core/model/workflow/step.ts";
import { openKey, planKey, resultKey } from "../../core/model/workflow/step.ts";
import { wantedMembers } from "../../core/policy/limits/json-members.ts";
import { Problem } from "../../core/problem.ts";
import { refusal } from "../headers/header-value.ts";
import { isEventId } from "./event-id.ts";
import { isJsonObject, readJson } from "../json/json.ts";

/** A submitted step: its result, or the plan to run it in parallel with others. */
export interface SubmittedStep {
  readonly kind: "plan" | "result";
  readonly stepKey: string;
  /** The event id of the webhook that the step has created. */
  readonly hookId?: string | undefined;
  /** The instant until which the step sleeps. */
  readonly sleepUntil?: Instant | undefined;
}

/** Reads the fields of a step that decide what happens; the bytes are passed on unchanged. */
export function readSubmittedStep(body: Uint8Array): SubmittedStep {
  const value = readJson(body, body.byteLength);
  if (!isJsonObject(value)) throw refusal("body: must be the JSON object of a step");
  const stepId = readCount(value["stepId"], "stepId");
  readName(value["stepName"], "stepName");
  const stepType = readName(value["stepType"], "stepType");
  const step = stepId > 0 ? resultOf(stepId) : planOf(value["targetStep"]);
  if (stepType === "SleepUntil") return { ...step, sleepUntil: instantIn(value["sleepUntil"]) };
  const isWebhook = stepId > 0 && stepType === "CreateWebhook";
  return isWebhook ? { ...step, hookId: hookIdIn(value["out"]) } : step;
}

function resultOf(stepId: number): SubmittedStep {
  return { kind: "result", stepKey: resultKey(stepId) };
}

function planOf(target: unknown): SubmittedStep {
  const targetStep = readCount(target, "targetStep");
  if (targetStep === 0) throw refusal("targetStep: must be at least 1");
  return { kind: "plan", stepKey: planKey(targetStep) };
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
  const { eventId } = wantedMembers(new TextEncoder().encode(out), EVENT_ID);
  return typeof eventId === "string" && isEventId(eventId) ? eventId : undefined;
}

/** The step that a wait or an invocation opens. */
export function readStep(value: unknown, field = "step"): Step {
  if (!isJsonObject(value)) throw refusal(`${field}: must be an object`);
  const stepId = readCount(value["stepId"], `${field}.stepId`);
  if (stepId === 0) throw refusal(`${field}.stepId: must be at least 1`);
  return {
    stepId,
    stepName: readName(value["stepName"], `${field}.stepName`),
    stepType: readName(value["stepType"], `${field}.stepType`),
    concurrent: readCount(value["concurrent"] ?? 1, `${field}.concurrent`),
  };
}

/** A call's step, from the headers of the callback that reports its end. */
export function readCalledStep(read: (suffix: string) => string | undefined): Step {
  const text = (suffix: string, field: string): string => {
    const value = read(`workflow-${suffix}`);
    if (value === undefined) throw refusal(`Callback-Forward-Workflow-${field}: is missing`);
    return value;
  };
  return readStep(
    {
      stepId: Number(text("stepid", "StepId")),
      stepName: text("stepname", "StepName"),
      stepType: text("steptype", "StepType"),
      concurrent: Number(read("workflow-concurrent") ?? "1"),
    },
    "call",
  );
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
  if (error.kind === "invalid-request") return new Problem("invalid-step", error.message);
  if (error.kind !== "body-too-large") return error;
  return new Problem("quota-exceeded", `quota maxMessageSize exceeded: ${error.message}`);
}

export const callKey = ({ stepId }: Step): string => openKey(stepId);

function readCount(value: unknown, field: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > COUNT_MAX) {
    throw refusal(`${field}: must be a whole number from 0 to ${COUNT_MAX}`);
  }
  return value;
}

function readName(value: unknown, field: string): string {
  if (typeof value !== "string" || value === "" || value.length > NAME_CHARACTERS_MAX) {
    throw refusal(`${field}: must be a text of 1 to ${NAME_CHARACTERS_MAX} characters`);
  }
  return value;
}

const EVENT_ID = new Set(["eventId"] as const);
const COUNT_MAX = 1_000_000;
const NAME_CHARACTERS_MAX = 1_024;
