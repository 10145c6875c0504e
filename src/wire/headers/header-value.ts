import { HTTP_METHODS, type HttpMethod } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import { Problem } from "../../core/problem.ts";

/**
 * The grammars of single header and query values. Each refuses with a Problem that does not name
 * the field and never repeats the value, which may be a secret; the caller adds the field's name.
 */

const VALUE_CHARACTERS_MAX = 4_096;
const NAME_CHARACTERS_MAX = 256;
const LABEL_CHARACTERS_MAX = 128;
const LABELS_MAX = 100;
/** The end of the year 9999. */
const UNIX_SECONDS_MAX = 253_402_300_799;

const VISIBLE = /^[\x20-\x7e\x80-\xff]*$/;
const CONTROL = /\p{Cc}/u;
const INTEGER = /^\d{1,15}$/;
/**
 * The beginning of a pattern that is neither `.` nor `..`. Clients and proxies take these out of a path, also
 * percent-encoded: what bears such a name could not be reached.
 */
export const NO_DOT_SEGMENT = String.raw`^(?!\.{1,2}$)`;
export const ID_PATTERN = `${NO_DOT_SEGMENT}[A-Za-z0-9._-]{1,128}$`;
export const HALF_OF_A_PAIR = "holds half of a surrogate pair";
/** What follows "must be" in a refusal. */
export const ID_RULE = "1 to 128 letters, digits, . _ -, and other than . and ..";
const ID = new RegExp(ID_PATTERN);
const PATH_NAME = new RegExp(NO_DOT_SEGMENT);

/** The value without surrounding blanks, checked to be short, visible Latin-1. */
export function cleanValue(value: string): string {
  const text = shortValue(value);
  if (!VISIBLE.test(text)) {
    throw invalidRequest("holds a control character or one outside of Latin-1");
  }
  return text;
}

/** The same for the text of a URL, which may have any visible character. */
export function cleanUrl(value: string): string {
  const text = shortValue(value);
  if (CONTROL.test(text)) throw invalidRequest("holds a control character");
  return text;
}

function shortValue(value: string): string {
  const text = trimBlanks(value);
  if (text.length <= VALUE_CHARACTERS_MAX) return text;
  throw invalidRequest(`is longer than ${VALUE_CHARACTERS_MAX} characters`);
}

export function parseInteger(text: string): number {
  if (!INTEGER.test(text)) throw invalidRequest("is not a whole number of at most 15 digits");
  return Number(text);
}

export function parsePositiveInteger(text: string): number {
  const value = parseInteger(text);
  if (value === 0) throw invalidRequest("must be at least 1");
  return value;
}

export function parseBoolean(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false") throw invalidRequest("is neither true nor false");
  return lower === "true";
}

export function parseMethod(text: string): HttpMethod {
  const wanted = text.toUpperCase();
  const method = HTTP_METHODS.find((known) => known === wanted);
  if (method === undefined) throw invalidRequest(`is not one of ${HTTP_METHODS.join(", ")}`);
  return method;
}

export function parseUnixSeconds(text: string): Instant {
  const seconds = parseInteger(text);
  if (seconds > UNIX_SECONDS_MAX) throw invalidRequest("is not a time in unix seconds");
  return seconds * 1_000;
}

/** Checks only the form; the egress policy is checked with the destination's. */
export function parseUrl(text: string): string {
  if (!/^https?:\/\//i.test(text)) throw invalidRequest("must start with http:// or https://");
  return text;
}

/** The text of a key or an id. */
export function parseName(text: string): string {
  if (text.length === 0) throw invalidRequest("is empty");
  if (text.length > NAME_CHARACTERS_MAX) {
    throw invalidRequest(`is longer than ${NAME_CHARACTERS_MAX} characters`);
  }
  return text;
}

/** A name that can be a part of a path once it is percent-encoded. */
export function parsePathName(text: string): string {
  if (!PATH_NAME.test(text)) throw invalidRequest("must be other than . and ..");
  return parseName(text);
}

/** An id that can be part of a path. */
export function parseId(text: string): string {
  if (!isId(text)) throw invalidRequest(`must be ${ID_RULE}`);
  return text;
}

export function isId(text: string): boolean {
  return ID.test(text);
}

export function parseDeduplicationId(text: string): string {
  if (text.includes(":")) throw invalidRequest("DeduplicationId cannot contain ':'");
  return parseName(text);
}

export function parseLabels(text: string): readonly string[] {
  const labels = text
    .split(",", LABELS_MAX + 1)
    .map(trimBlanks)
    .filter((label) => label !== "");
  if (labels.length === 0) throw invalidRequest("is empty");
  if (labels.length > LABELS_MAX) throw invalidRequest(`has more than ${LABELS_MAX} labels`);
  if (labels.some((label) => label.length > LABEL_CHARACTERS_MAX)) {
    throw invalidRequest(`has a label of more than ${LABEL_CHARACTERS_MAX} characters`);
  }
  return labels;
}

export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** Runs a grammar and adds the field's name to its refusal. */
export function prefixErrors<Value>(field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof Problem ? invalidRequest(`${field}: ${error.message}`) : error;
  }
}

export function invalidRequest(reason: string): Problem {
  return new Problem("invalid-request", reason);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
