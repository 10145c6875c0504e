/** Scans the bytes of JSON without building values. Its structure is ASCII. */

const QUOTE = 0x22;
const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const NEAR_BYTES = 64;
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/**
 * Where the value that begins at `start` ends: at a comma or a bracket outside of it, or at the end
 * of the bytes. Null when it is nested too deep.
 */
export function endOfValue(json: Uint8Array, start: number, depthMax: number): number | null {
  let depth = 0;
  let at = start;
  for (; at < json.byteLength; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > depthMax) return null;
    } else if (depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) return at;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return json.byteLength;
}

/**
 * Checks a few bytes one by one, then searches for the next quote: long strings have few quotes or,
 * where JSON is quoted within JSON, many escaped ones.
 */
function endOfString(json: Uint8Array, start: number): number {
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

export function afterBlanks(json: Uint8Array, start: number): number {
  let at = start;
  while (BLANKS.has(json[at] ?? -1)) at += 1;
  return at;
}
