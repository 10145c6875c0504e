/** Looks at the bytes of JSON without building anything. All that counts in it is ASCII. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/** How deep the brackets outside of strings are nested. */
export function depthOf(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.byteLength; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return deepest;
}

/** Where the string that begins at `start` ends; the end of the bytes when it does not. */
export function endOfString(json: Uint8Array, start: number): number {
  let end = start;
  for (;;) {
    end = json.indexOf(QUOTE, end + 1);
    if (end < 0) return json.byteLength;
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

export function afterBlanks(json: Uint8Array, start: number): number {
  let at = start;
  while (BLANKS.has(json[at] ?? -1)) at += 1;
  return at;
}
