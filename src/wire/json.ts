import { textOf } from "./body.ts";
import { refusal, shownName } from "./header-value.ts";

const DEPTH_MAX = 64;

/** Parses a request body that must be JSON: bounded in size and depth, and nothing is coerced. */
export function readJson(body: Uint8Array, bytesMax: number): unknown {
  if (body.byteLength > bytesMax) throw refusal(`body: is larger than ${bytesMax} bytes`);
  const text = textOf(body);
  if (text === null) throw refusal("body: is not UTF-8");
  if (depthOf(text) > DEPTH_MAX) {
    throw refusal(`body: is nested deeper than ${DEPTH_MAX} levels`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refusal("body: is not JSON");
  }
}

/** The nesting of brackets outside of strings, without building anything. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

/** Where the string that begins at `start` ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** True for a JSON object, whose members are then looked up as own properties only. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses members that are not known: a misspelt one would be passed over in silence. */
export function requireMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  field: string,
): void {
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined) throw refusal(`${field}: ${shownName(other)} is not a known member`);
}
