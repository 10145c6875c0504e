import { type BodyCut, cutReason } from "../../model/message/attempt.ts";
import type { HeaderList, Message } from "../../model/message/message.ts";
import type { Run } from "../../model/workflow/run.ts";
import { headerRecord } from "../../policy/headers/header-name.ts";
import { visible } from "../../views/redact.ts";

interface Report {
  readonly message: Message;
  readonly body: Uint8Array;
  /** 0 when there was no response; then `error` says why. */
  readonly status: number;
  readonly error?: string | undefined;
  readonly responseHeaders: HeaderList;
  readonly responseBody: Uint8Array;
  /** Only a part of the body is included. */
  readonly isCut?: boolean | undefined;
  /** Attempts before the reported one. */
  readonly retried: number;
  /** Only in the report of a final failure. */
  readonly dlqId?: string | undefined;
}

/** The JSON of a callback or failure callback, with the publisher's redactions. */
export function callbackPayload(report: Report): Uint8Array {
  const { message } = report;
  const source = visible(message, report.body);
  return jsonOf({
    status: report.status,
    header: headerRecord(report.responseHeaders) ?? {},
    body: report.responseBody,
    truncated: report.isCut === true ? true : undefined,
    error: report.error,
    retried: report.retried,
    maxRetries: message.settings.retries,
    dlqId: report.dlqId,
    sourceMessageId: message.messageId,
    topicName: message.urlGroup,
    endpointName: message.endpointName,
    url: message.url,
    method: message.method,
    sourceHeader: headerRecord(source.headers) ?? {},
    sourceBody: source.body,
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    scheduleId: message.scheduleId,
    callerIP: message.callerIp,
  });
}

/** A failed run, with the attempt it failed at. */
interface FailureReport extends Omit<Report, "body"> {
  readonly run: Run;
  readonly payload: Uint8Array;
}

/** The JSON of the call that reports a failed run. Its source is the start of the run. */
export function failurePayload(report: FailureReport): Uint8Array {
  const { message, run } = report;
  return jsonOf({
    status: report.status,
    header: headerRecord(report.responseHeaders) ?? {},
    body: report.responseBody,
    error: report.error,
    retried: report.retried,
    maxRetries: message.settings.retries,
    dlqId: report.dlqId,
    sourceMessageId: message.messageId,
    url: run.workflowUrl,
    method: message.method,
    sourceHeader: headerRecord(run.headers) ?? {},
    sourceBody: report.payload,
    workflowRunId: run.runId,
    workflowCreatedAt: run.createdAt,
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    callerIP: run.callerIp,
  });
}

/** A partial body would be taken for the whole, so JSON with the reason replaces it. */
export function answeredBody({ responseBody, responseCut }: Answered): Uint8Array {
  if (responseCut === undefined) return responseBody;
  const error = cutReason(responseCut, responseBody);
  const beginning = new TextDecoder().decode(responseBody.subarray(0, BEGINNING_BYTES));
  return cutBody(error, `${error}; it begins with: ${beginning}`);
}

/** As `answeredBody`; the message of the endpoint's own error is kept if it is complete. */
export function failedBody(answered: Answered): Uint8Array {
  const { responseBody, responseCut } = answered;
  if (responseCut === undefined) return responseBody;
  const message = errorMessage(responseBody);
  if (message === undefined) return answeredBody(answered);
  return cutBody(cutReason(responseCut, responseBody), message);
}

function cutBody(error: string, message: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ error, message, truncated: true }));
}

/** Headers that describe a body do not fit the JSON that replaces it. */
export function answeredHeaders(headers: HeaderList, cut: BodyCut | undefined): HeaderList {
  if (cut === undefined) return headers;
  const others = headers.filter(([name]) => !/^content-/i.test(name));
  return [["Content-Type", "application/json"], ...others];
}

/** What reports a failure or a result is JSON, whatever its headers say. */
export function jsonHeaders(headers: HeaderList): HeaderList {
  const others = headers.filter(([name]) => name.toLowerCase() !== "content-type");
  return [["Content-Type", "application/json"], ...others];
}

interface Answered {
  readonly responseBody: Uint8Array;
  readonly responseCut?: BodyCut | undefined;
}

const BEGINNING_BYTES = 1_000;

/**
 * The JSON of an object, in which bytes are base64. Nothing in base64 is escaped, and JSON.stringify
 * would check each of its letters: in an answer of some megabytes, for five times as long.
 */
function jsonOf(members: Readonly<Record<string, unknown>>): Uint8Array {
  const parts: (string | Uint8Array)[] = [];
  let before = "{";
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    parts.push(`${before}"${name}":`);
    if (value instanceof Uint8Array) parts.push('"', value, '"');
    else parts.push(JSON.stringify(value));
    before = ",";
  }
  return joined([...parts, "}"]);
}

/** Texts as they are and bytes in base64, in memory of their own, not cut from a slab. */
function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const sizes = parts.map((part) =>
    typeof part === "string" ? Buffer.byteLength(part) : 4 * Math.ceil(part.length / 3),
  );
  const whole = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  const target = Buffer.from(whole.buffer);
  let at = 0;
  for (const part of parts) {
    at += typeof part === "string" ? target.write(part, at) : writeBase64(target, at, part);
  }
  return whole;
}

/** In slices, so that the text of an answer of some megabytes is not made besides its bytes. */
function writeBase64(target: Buffer, start: number, bytes: Uint8Array): number {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  for (let from = 0; from < source.length; from += SLICE_BYTES) {
    at += target.write(source.toString("base64", from, from + SLICE_BYTES), at, "latin1");
  }
  return at - start;
}

/** Whole groups of three bytes. */
const SLICE_BYTES = 3 * 16 * 1024;

/**
 * The `message` of an error that an endpoint answered as JSON, if it is complete in the beginning
 * of the response. SDKs put the stack of an error after its message.
 */
export function errorMessage(beginning: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(beginning);
  let at = skipSpace(text, 0);
  for (
    let members = 0;
    members < MEMBERS_MAX && (text[at] === "{" || text[at] === ",");
    members++
  ) {
    const name = stringAt(text, skipSpace(text, at + 1));
    if (name === undefined) return undefined;
    const colon = skipSpace(text, name.end);
    if (text[colon] !== ":") return undefined;
    const value = stringAt(text, skipSpace(text, colon + 1));
    if (value === undefined || name.value === "message") return value?.value;
    at = skipSpace(text, value.end);
  }
  return undefined;
}

/** A message comes first, or soon after. */
const MEMBERS_MAX = 100;

interface JsonString {
  readonly value: string;
  /** The index after the string. */
  readonly end: number;
}

/** The JSON string at `start`, if there is a complete one. */
function stringAt(text: string, start: number): JsonString | undefined {
  if (text[start] !== '"') return undefined;
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  if (quote === -1) return undefined;
  try {
    return { value: JSON.parse(text.slice(start, quote + 1)) as string, end: quote + 1 };
  } catch {
    return undefined;
  }
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text[first - 1] === "\\") first -= 1;
  return (quote - first) % 2 === 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at += 1;
  return at;
}
