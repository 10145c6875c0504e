import { afterBlanks, COMMA, endOfString, JSON_LIMITS, measureJson, QUOTE } from "./json-scan.ts";

/**
 * The wanted members of a stored JSON object. The others are not built, however many there are; a
 * wanted one with too much structure is left out.
 */
export function wantedMembers<Name extends string>(
  json: Uint8Array,
  wanted: ReadonlySet<Name>,
): Readonly<Partial<Record<Name, unknown>>> {
  const found: Partial<Record<Name, unknown>> = {};
  let at = afterBlanks(json, 0);
  if (json[at] !== OPEN_OBJECT) return found;
  do {
    const nameAt = afterBlanks(json, at + 1);
    if (json[nameAt] !== QUOTE) return found;
    const nameEnd = endOfString(json, nameAt) + 1;
    const colonAt = afterBlanks(json, nameEnd);
    if (json[colonAt] !== COLON) return found;
    const extent = measureJson(json, colonAt + 1, NO_LIMITS);
    if (typeof extent === "string") return found;
    const name = nameIn(json.subarray(nameAt, nameEnd)) as Name;
    if (wanted.has(name)) found[name] = parseWithinLimits(json.subarray(colonAt + 1, extent.end));
    at = extent.end;
  } while (json[at] === COMMA);
  return found;
}

/** The value of JSON from outside; undefined when it is none, or has too much structure. */
export function parseWithinLimits(json: Uint8Array): unknown {
  if (typeof measureJson(json, 0, JSON_LIMITS) === "string") return undefined;
  try {
    return JSON.parse(DECODER.decode(json)) as unknown;
  } catch {
    return undefined;
  }
}

/** Longer names than any that is wanted are not decoded. */
function nameIn(quoted: Uint8Array): string {
  if (quoted.byteLength > NAME_BYTES_MAX) return "";
  const name = DECODER.decode(quoted);
  return name.includes("\\") ? String(parseWithinLimits(quoted)) : name.slice(1, -1);
}

const DECODER = new TextDecoder();
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const NAME_BYTES_MAX = 100;
const NO_LIMITS = { depthMax: Infinity, membersMax: Infinity, bytesMax: Infinity };
