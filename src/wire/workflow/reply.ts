import type { Answer } from "../../core/model/message/attempt.ts";
import { withEitherPrefix } from "../../core/model/message/dialect.ts";
import { refusal } from "../headers/header-value.ts";
import { isJsonObject, readJson, requireMembers } from "../json/json.ts";
import { readSubmittedStep, type SubmittedStep } from "./step.ts";

/** Steps or an end that a workflow's endpoint puts into its response instead of submitting them. */
export type Reply =
  | { readonly kind: "steps"; readonly steps: readonly RepliedStep[] }
  | { readonly kind: "end"; readonly response: Uint8Array };

export interface RepliedStep extends SubmittedStep {
  /** The JSON of the step. */
  readonly body: Uint8Array;
}

/** Null when a response is no reply. A malformed reply is refused. */
export function readReply({ headers, body }: Answer): Reply | null {
  const isReply = headers.some(
    ([name, value]) => value === VERSION && REPLY_NAMES.includes(name.toLowerCase()),
  );
  if (!isReply) return null;
  const value = readJson(body, REPLY_BYTES_MAX);
  if (!isJsonObject(value)) throw refusal("reply: must be an object");
  requireMembers(value, ["steps", "result"], "reply");
  const { steps, result } = value;
  if (steps === undefined) return { kind: "end", response: bytesOf(result, "result") };
  if (result !== undefined) throw refusal("reply: a run that ends has no more steps");
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > STEPS_MAX) {
    throw refusal(`steps: must be a list of 1 to ${STEPS_MAX}`);
  }
  return { kind: "steps", steps: steps.map(readStep) };
}

function readStep(value: unknown): RepliedStep {
  const body = bytesOf(value, "steps");
  return { ...readSubmittedStep(body), body };
}

function bytesOf(value: unknown, field: string): Uint8Array {
  if (typeof value !== "string") throw refusal(`${field}: must be text`);
  return new TextEncoder().encode(value);
}

const REPLY_NAMES = withEitherPrefix("workflow-reply");
/** The version of the reply format that a delivery offers. */
const VERSION = "1";
/** An endpoint submits larger results in a request. */
const REPLY_BYTES_MAX = 256 * 1024;
const STEPS_MAX = 1_000;
