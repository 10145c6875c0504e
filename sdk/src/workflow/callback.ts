import { textFromBase64 } from "../base64.ts";
import { WorkflowError } from "./errors.ts";
import type { HeaderView } from "./incoming.ts";
import { decodeName, HEADERS } from "./protocol.ts";
import { readLoosely } from "./json.ts";
import type { StepRecord } from "./step-record.ts";

interface CallbackBody {
  readonly status: number;
  readonly header?: Readonly<Record<string, string[]>>;
  /** Base64. */
  readonly body?: string;
  readonly retried?: number;
  readonly maxRetries?: number;
}

/** The step of a call's result; undefined if the call will be tried again. */
export function readCallback(text: string, headers: HeaderView): StepRecord | undefined {
  const callback = readLoosely(text) as CallbackBody | null;
  if (typeof callback !== "object" || callback === null) {
    throw new WorkflowError("the result of a call cannot be read");
  }
  const { status, header = {}, retried, maxRetries = 0 } = callback;
  const isGood = status >= 200 && status < 300;
  if (!isGood && maxRetries > 0 && (retried ?? 0) < maxRetries) return undefined;
  const body = textFromBase64(callback.body ?? "");
  return { ...stepOf(headers), out: JSON.stringify({ status, body, header }) };
}

function stepOf(headers: HeaderView): StepRecord {
  const stepId = Number(headers.get(HEADERS.stepId));
  const concurrent = Number(headers.get(HEADERS.concurrent));
  const stepName = decodeName(headers.get(HEADERS.stepName) ?? "");
  const stepType = headers.get(HEADERS.stepType);
  if (!(stepId >= 1 && concurrent >= 1) || stepName === "" || stepType !== "Call") {
    throw new WorkflowError("the result of a call does not say which step it belongs to");
  }
  return { stepId, stepName, stepType, concurrent };
}
