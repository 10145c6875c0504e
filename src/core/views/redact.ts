import type { HeaderList, Redaction } from "../model/message/message.ts";
import type { GivenSettings } from "../model/message/publish-options.ts";
import { Problem } from "../problem.ts";
import { sha256Hex } from "../sha-256.ts";

/** The parts of a message that readers may see: a redacted value is its marker. */
export interface Visible {
  readonly headers: HeaderList;
  /** A text when it is a marker, bytes when it is the body itself. */
  readonly body: Uint8Array | string;
  readonly callbackHeaders: HeaderList;
  readonly failureCallbackHeaders: HeaderList;
}

/** A message, a run or the options of one. */
export interface Redactable {
  readonly headers: HeaderList;
  readonly settings: Pick<GivenSettings, "redact" | "callback" | "failureCallback">;
}

const FIELDS_MAX = 100;
const NAMED_HEADER = /^headers?\[([!#$%&'*+\-.^_`|~0-9a-z]{1,128})\]$/;

/** Reads `body, headers, header[Name]`; refuses any other field, since a typo would leak. */
export function parseRedaction(text: string): Redaction {
  const headers: string[] = [];
  let body = false;
  let allHeaders = false;
  const fields = text.split(",", FIELDS_MAX + 1);
  if (fields.length > FIELDS_MAX) throw refusal(`names more than ${FIELDS_MAX} fields`);
  for (const given of fields) {
    const field = given.trim().toLowerCase();
    const named = NAMED_HEADER.exec(field)?.[1];
    if (field === "body") body = true;
    else if (field === "header" || field === "headers") allHeaders = true;
    else if (named !== undefined) headers.push(named);
    else throw refusal("may name only body, headers and header[<name>], separated by commas");
  }
  return { body, allHeaders, headers };
}

/**
 * The only function that decides what is hidden. Everything that shows a message, a log entry, a
 * dead letter, a schedule or a callback's source uses it.
 */
export function visible(message: Redactable, body: Uint8Array): Visible {
  const { redact, callback, failureCallback } = message.settings;
  const shown = (headers: HeaderList = []) => visibleHeaders(headers, redact);
  return {
    headers: shown(message.headers),
    body: redact?.body === true ? `REDACTED:${redact.bodyHash ?? sha256Hex(body)}` : body,
    callbackHeaders: shown(callback?.headers),
    failureCallbackHeaders: shown(failureCallback?.headers),
  };
}

/** All that either of two hides, so that sending a message again cannot uncover it. */
export function bothRedactions(
  one: Redaction | undefined,
  other: Redaction | undefined,
): Redaction | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    body: one.body || other.body,
    allHeaders: one.allHeaders || other.allHeaders,
    headers: [...new Set([...one.headers, ...other.headers])],
  };
}

/** For a body that is shown without being read: its hash is stored. */
export function redactionFor(
  redact: Redaction | undefined,
  body: Uint8Array,
): Redaction | undefined {
  return redact?.body === true ? { ...redact, bodyHash: sha256Hex(body) } : redact;
}

/** A message of a run hides what the run hides, and what it hides itself. */
export function redactionWithin(
  run: Redaction | undefined,
  message: Redaction | undefined,
): Redaction | undefined {
  // The hash is that of the run's payload.
  return bothRedactions(run && { ...run, bodyHash: undefined }, message);
}

/** The redaction of a report: the headers it is sent with. Its body is redacted already. */
export function redactionOfReport(redact: Redaction | undefined): Redaction | undefined {
  if (redact === undefined || (!redact.allHeaders && redact.headers.length === 0)) return undefined;
  return { body: false, allHeaders: redact.allHeaders, headers: redact.headers };
}

/** The redaction of a report of a failed run, which repeats its payload and its headers. */
export function redactionOfFailure(
  run: Redaction | undefined,
  body: Uint8Array,
): Redaction | undefined {
  return run && redactionFor({ ...run, body: true }, body);
}

function visibleHeaders(headers: HeaderList, redact: Redaction | undefined): HeaderList {
  if (redact === undefined || (!redact.allHeaders && redact.headers.length === 0)) return headers;
  return headers.map(([name, value]) => {
    const hidden = redact.allHeaders || redact.headers.includes(name.toLowerCase());
    return [name, hidden ? marker(Buffer.from(value, "latin1")) : value];
  });
}

function marker(bytes: Uint8Array): string {
  return `REDACTED:${sha256Hex(bytes)}`;
}

function refusal(reason: string): Problem {
  return new Problem("invalid-request", reason);
}
