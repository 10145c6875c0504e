import { textFromBase64 } from "../base64.ts";
import { WorkflowError } from "./errors.ts";
import { readLoosely } from "./json.ts";

/** A failed run, as its failure function gets it. */
export interface Failure<Payload> {
  readonly payload: Payload;
  /** Headers that the run was started with. */
  readonly headers: Headers;
  readonly url: string;
  readonly runId: string;
  readonly createdAt: number;
  /** Status of the last response; 0 if there was none. */
  readonly status: number;
  /** The error's message, else the text of the last response. */
  readonly message: string;
  readonly responseBody: string;
  readonly responseHeaders: Readonly<Record<string, readonly string[]>>;
  /** The id with which the run can be resumed or restarted. */
  readonly dlqId: string | undefined;
}

export interface FailureReport extends Omit<
  Failure<unknown>,
  "payload" | "headers" | "url" | "runId" | "createdAt"
> {
  /** The payload text of the run. */
  readonly payloadText: string;
}

/** Reads the service's report of a failed run. */
export function readFailure(body: string): FailureReport {
  const report = readLoosely(body) as {
    status?: number;
    header?: Record<string, string[]>;
    body?: string;
    dlqId?: string;
    sourceBody?: string;
    error?: string;
  } | null;
  if (typeof report !== "object" || report === null) {
    throw new WorkflowError("the failure call cannot be read");
  }
  const responseBody = textFromBase64(report.body ?? "");
  return {
    payloadText: textFromBase64(report.sourceBody ?? ""),
    status: report.status ?? 0,
    message: messageOf(responseBody) ?? report.error ?? responseBody,
    responseBody,
    responseHeaders: report.header ?? {},
    dlqId: report.dlqId,
  };
}

/** Endpoints answer errors as JSON with a message. */
function messageOf(responseBody: string): string | undefined {
  const answer = readLoosely(responseBody) as { message?: unknown } | null;
  const message = typeof answer === "object" ? answer?.message : undefined;
  return typeof message === "string" ? message : undefined;
}
