/** Scans the bytes of JSON without building values. Its structure is ASCII. */

/** How much structure a document may have before it is parsed: building it costs far more than reading it. */
export interface JsonLimits {
  readonly depthMax: number;
  /** Members of objects and elements of arrays, at all depths. */
  readonly membersMax: number;
  /** Bytes besides the longest string. */
  readonly bytesMax: number;
}

/** A value in a document. */
export interface JsonExtent {
  /** The index after it: of a comma or a bracket outside of it, or the end of the bytes. */
  readonly end: number;
}

/** Why a value is not parsed. */
export type JsonExcess = "deep" | "many" | "large";

/** What any JSON from outside may have. */
export const JSON_LIMITS: JsonLimits = { depthMax: 64, membersMax: 10_000, bytesMax: Infinity };

/** Finds the end of the value that begins at `start`, unless it has too much structure. */
export function measureJson(
  json: Uint8Array,
  start: number,
  { depthMax, membersMax, bytesMax }: JsonLimits,
): JsonExtent | JsonExcess {
  let depth = 0;
  let members = 0;
  let longestTextBytes = 0;
  // Where there are too many bytes outside of strings.
  let stopAt = start + bytesMax;
  let at = start;
  for (; at < json.byteLength && at <= stopAt; at++) {
    const kind = KINDS[json[at]!]!;
    if (kind === OTHER) continue;
    if (kind === TEXT) {
      const end = endOfString(json, at);
      if (end - at > longestTextBytes) longestTextBytes = end - at;
      stopAt += end - at;
      at = end;
    } else if (kind === OPEN) {
      if (++depth > depthMax) return "deep";
      members += 1;
    } else if (depth === 0) break;
    else if (kind === CLOSE) depth -= 1;
    else members += 1;
    if (members > membersMax) return "many";
  }
  const end = Math.min(at, json.byteLength);
  return end - start - longestTextBytes > bytesMax ? "large" : { end };
}

/**
 * The index of the quote that ends the string. Checks a few bytes one by one, then searches for the next quote: long strings have few quotes or,
 * where JSON is quoted within JSON, many escaped ones.
 */
export function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    for (const near = at + NEAR_BYTES; at < near; at++) {
      const byte = json[at];
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) return at;
    }
    const quoteAt = json.indexOf(QUOTE, at);
    if (quoteAt < 0) return json.byteLength;
    let backslashes = 0;
    while (quoteAt - backslashes > at && json[quoteAt - backslashes - 1] === BACKSLASH)
      backslashes++;
    if (backslashes % 2 === 0) return quoteAt;
    at = quoteAt + 1;
  }
}

/** Passes by so many blanks as people and programs write to format a document. */
export function afterBlanks(json: Uint8Array, start: number): number {
  const stopAt = Math.min(json.byteLength, start + BLANKS_MAX);
  let at = start;
  while (at < stopAt && IS_BLANK[json[at]!] === 1) at += 1;
  return at;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
const NEAR_BYTES = 64;
const BLANKS_MAX = 64 * 1024;

const OTHER = 0;
const TEXT = 1;
const OPEN = 2;
const CLOSE = 3;
const SEPARATOR = 4;
/** What each byte begins outside of strings. */
const KINDS = tableOf({ '"': TEXT, "[": OPEN, "{": OPEN, "]": CLOSE, "}": CLOSE, ",": SEPARATOR });
const IS_BLANK = tableOf({ "\t": 1, "\n": 1, "\r": 1, " ": 1 });

function tableOf(values: Readonly<Record<string, number>>): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const [character, value] of Object.entries(values)) bytes[character.charCodeAt(0)] = value;
  return bytes;
}
