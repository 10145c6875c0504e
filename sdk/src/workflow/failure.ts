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
  /** The error's stack and causes, if the endpoint answered with it. */
  readonly stack: string | undefined;
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
    message: textIn(responseBody, "message") ?? report.error ?? responseBody,
    stack: textIn(responseBody, "stack"),
    responseBody,
    responseHeaders: report.header ?? {},
    dlqId: report.dlqId,
  };
}

/** Endpoints answer errors as JSON with a message and a stack. */
function textIn(responseBody: string, name: "message" | "stack"): string | undefined {
  const answer = readLoosely(responseBody) as Partial<Record<typeof name, unknown>> | null;
  const text = typeof answer === "object" ? answer?.[name] : undefined;
  return typeof text === "string" ? text : undefined;
}
