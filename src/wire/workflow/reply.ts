import type { Answer } from "../../core/model/message/attempt.ts";
import { withEitherPrefix } from "../../core/model/message/dialect.ts";
import { invalidRequest } from "../headers/header-value.ts";
import { readJson } from "../json/json.ts";
import { readerOf } from "../json/schema-reader.ts";
import { closedObject, list, text, withKeywords } from "../json/schema.ts";
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
  const { steps, result } = readBody(readJson(body, REPLY_BYTES_MAX), "reply");
  if (steps === undefined) {
    if (result === undefined) throw invalidRequest("result: is missing");
    return { kind: "end", response: encoder.encode(result) };
  }
  if (result !== undefined) throw invalidRequest("reply: a run that ends has no more steps");
  return {
    kind: "steps",
    steps: steps.map((step) => {
      const bytes = encoder.encode(step);
      return { ...readSubmittedStep(bytes), body: bytes };
    }),
  };
}

const REPLY_NAMES = withEitherPrefix("workflow-reply");
/** The version of the reply format that a delivery offers. */
const VERSION = "1";
/** An endpoint submits larger results in a request. */
const REPLY_BYTES_MAX = 256 * 1024;
const encoder = new TextEncoder();
/** Each step, and the result, is a text of its own. */
const readBody = readerOf(
  closedObject(
    {},
    { steps: withKeywords(list(text()), { minItems: 1, maxItems: 1_000 }), result: text() },
  ),
  "reply",
);
