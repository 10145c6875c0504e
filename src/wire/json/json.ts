import { textOf } from "../message/body.ts";
import { shownName } from "../../core/shown-name.ts";
import { invalidRequest } from "../headers/header-value.ts";
import {
  afterBlanks,
  CLOSE_ARRAY,
  COMMA,
  JSON_LIMITS,
  type JsonExcess,
  type JsonExtent,
  type JsonLimits,
  measureJson,
  OPEN_ARRAY,
} from "../../core/policy/limits/json-scan.ts";

/** Parses a body that must be JSON: bounded in size, depth and members, without coercion. */
export function readJson(body: Uint8Array, bytesMax: number): unknown {
  if (body.byteLength > bytesMax) throw invalidRequest(`body: is larger than ${bytesMax} bytes`);
  requireParsable(measureJson(body, 0, JSON_LIMITS), JSON_LIMITS, "body");
  return parseJson(body);
}

/**
 * The elements of a JSON array, each parsed on demand: a large document is not built as a whole,
 * and its reader can give other requests a turn in between. Only the end shows whether the document
 * is valid. An element has at most so many bytes besides its longest string.
 */
export function* jsonElements(json: Uint8Array, bytesMax: number): Generator {
  const limits = { ...JSON_LIMITS, bytesMax };
  let at = afterBlanks(json, 0);
  if (json[at] !== OPEN_ARRAY) throw malformed();
  at = afterBlanks(json, at + 1);
  if (json[at] !== CLOSE_ARRAY) {
    for (let index = 0; ; index++) {
      const { end } = requireParsable(measureJson(json, at, limits), limits, `body[${index}]`);
      if (json[end] !== COMMA && json[end] !== CLOSE_ARRAY) throw malformed();
      yield parseJson(json.subarray(at, end));
      at = end;
      if (json[at] === CLOSE_ARRAY) break;
      at += 1;
    }
  }
  if (afterBlanks(json, at + 1) !== json.byteLength) throw malformed();
}

function malformed() {
  return invalidRequest("body: is not a JSON array");
}

/** Refuses what would cost too much to build. */
function requireParsable(
  measured: JsonExtent | JsonExcess,
  { depthMax, membersMax, bytesMax }: JsonLimits,
  field: string,
): JsonExtent {
  if (measured === "deep")
    throw invalidRequest(`${field}: is nested deeper than ${depthMax} levels`);
  if (measured === "many") throw invalidRequest(`${field}: has more than ${membersMax} members`);
  if (measured === "large") {
    throw invalidRequest(`${field}: has more than ${bytesMax} bytes besides its longest text`);
  }
  return measured;
}

/** For JSON whose structure is known to be bounded. */
function parseJson(json: Uint8Array): unknown {
  const text = textOf(json);
  if (text === null) throw invalidRequest("body: is not UTF-8");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidRequest("body: is not JSON");
  }
}

/** True for a JSON object, whose members are then read as own properties only. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Refuses unknown members, since a misspelled one would be ignored silently. `field` is where the
 * object stands, if it is not the whole body.
 */
export function requireMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  field?: string,
): void {
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other === undefined) return;
  const name = shownName(other);
  throw invalidRequest(
    `${field === undefined ? `${name}:` : `${field}: ${name}`} is not a known member`,
  );
}
