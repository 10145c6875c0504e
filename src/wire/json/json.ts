import { textOf } from "../message/body.ts";
import { refusal, shownName } from "../headers/header-value.ts";
import {
  JSON_LIMITS,
  type JsonExcess,
  type JsonExtent,
  type JsonLimits,
  measureJson,
} from "../../core/policy/limits/json-scan.ts";

/**
 * Parses a request body that must be JSON: bounded in size, depth and members, without coercion.
 */
export function readJson(body: Uint8Array, bytesMax: number): unknown {
  if (body.byteLength > bytesMax) throw refusal(`body: is larger than ${bytesMax} bytes`);
  requireParsable(measureJson(body, 0, JSON_LIMITS), JSON_LIMITS, "body");
  return parseJson(body);
}

/** Refuses what would cost too much to build. */
export function requireParsable(
  measured: JsonExtent | JsonExcess,
  { depthMax, membersMax, bytesMax }: JsonLimits,
  field: string,
): JsonExtent {
  if (measured === "deep") throw refusal(`${field}: is nested deeper than ${depthMax} levels`);
  if (measured === "many") throw refusal(`${field}: has more than ${membersMax} members`);
  if (measured === "large") {
    throw refusal(`${field}: has more than ${bytesMax} bytes besides its longest text`);
  }
  return measured;
}

/** For JSON whose structure is known to be bounded. */
export function parseJson(json: Uint8Array): unknown {
  const text = textOf(json);
  if (text === null) throw refusal("body: is not UTF-8");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refusal("body: is not JSON");
  }
}

/** True for a JSON object, whose members are then read as own properties only. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a request body that must be a JSON object with no other members than these. */
export function readMembers(
  body: Uint8Array,
  bytesMax: number,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  const value = readJson(body, bytesMax);
  if (!isJsonObject(value)) throw refusal("body: is not a JSON object");
  requireMembers(value, known);
  return Object.fromEntries(Object.entries(value));
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
  throw refusal(`${field === undefined ? `${name}:` : `${field}: ${name}`} is not a known member`);
}
