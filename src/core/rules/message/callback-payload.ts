import { type BodyCut, cutReason } from "../../model/message/attempt.ts";
import type { HeaderList, Message } from "../../model/message/message.ts";
import type { Run } from "../../model/workflow/run.ts";
import { headerRecord } from "../../policy/headers/header-name.ts";
import { visible } from "../../views/redact.ts";

export interface Report {
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
  return joined([...beginningOf(report), ...restOf(report)]);
}

/** The same up to the end of the response body, in pieces of this size, the last one smaller. */
export function* callbackBeginning(report: Report, pieceBytes: number): Generator<Uint8Array> {
  yield* inPieces(beginningOf(report), pieceBytes);
}

/** What follows the beginning. */
export function callbackRest(report: Report): Uint8Array {
  return joined(restOf(report));
}

function beginningOf({ status, responseHeaders, responseBody }: Report): Part[] {
  const header = headerRecord(responseHeaders) ?? {};
  return ["{", ...membersOf({ status, header, body: responseBody })];
}

function restOf(report: Report): Part[] {
  const { message } = report;
  const source = visible(message, report.body);
  const members = membersOf({
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
  return [",", ...members, "}"];
}

/** A failed run, with the attempt it failed at. */
interface FailureReport extends Omit<Report, "body"> {
  readonly run: Run;
  readonly payload: Uint8Array;
}

/** The JSON of the call that reports a failed run. Its source is the start of the run. */
export function failurePayload(report: FailureReport): Uint8Array {
  const { message, run } = report;
  const members = membersOf({
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
  return joined(["{", ...members, "}"]);
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

/** Of a JSON text: text as it is, and bytes that stand there in base64. */
type Part = string | Uint8Array;

/**
 * The members of an object in JSON, in which bytes are base64. Nothing in base64 is escaped, and
 * JSON.stringify would check each of its letters: in an answer of some megabytes, for five times as
 * long.
 */
function membersOf(members: Readonly<Record<string, unknown>>): Part[] {
  const parts: Part[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const before = `${parts.length === 0 ? "" : ","}"${name}":`;
    if (value instanceof Uint8Array) parts.push(`${before}"`, value, '"');
    else parts.push(before + JSON.stringify(value));
  }
  return parts;
}

function joined(parts: readonly Part[]): Uint8Array {
  const [whole] = inPieces(parts, Infinity);
  return whole!;
}

/** All but the last have this size. Each has memory of its own, not cut from a slab. */
function* inPieces(parts: readonly Part[], pieceBytes: number): Generator<Uint8Array> {
  let left = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  const nextPiece = (): Buffer => Buffer.from(new ArrayBuffer(Math.min(pieceBytes, left)));
  let piece = nextPiece();
  let at = 0;
  for (const text of byteTexts(parts)) {
    for (let from = 0; from < text.length;) {
      if (at === piece.length) {
        yield new Uint8Array(piece.buffer);
        left -= piece.length;
        piece = nextPiece();
        at = 0;
      }
      const fitting = text.slice(from, from + piece.length - at);
      at += piece.write(fitting, at, "latin1");
      from += fitting.length;
    }
  }
  yield new Uint8Array(piece.buffer);
}

function sizeOf(part: Part): number {
  return typeof part === "string" ? Buffer.byteLength(part) : 4 * Math.ceil(part.length / 3);
}

/**
 * The bytes of the parts, one to a letter. Base64 comes in slices, so that the text of an answer of
 * some megabytes is not made besides its bytes.
 */
function* byteTexts(parts: readonly Part[]): Generator<string> {
  for (const part of parts) {
    if (typeof part === "string") {
      yield Buffer.from(part).toString("latin1");
      continue;
    }
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      yield bytes.toString("base64", from, from + SLICE_BYTES);
    }
  }
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
