import type { HeaderList } from "../../model/message/message.ts";

const NAMES_KEPT_MAX = 1_000;
const NAME_CHARACTERS_KEPT_MAX = 64;
const keptNames = new Map<string, string>();

/** `x-request-id` as `X-Request-Id`: the spelling in which header names are stored and shown. */
export function canonicalHeaderName(name: string): string {
  const kept = keptNames.get(name);
  if (kept !== undefined) return kept;
  const canonical = name
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join("-");
  if (keptNames.size < NAMES_KEPT_MAX && name.length <= NAME_CHARACTERS_KEPT_MAX) {
    keptNames.set(name, canonical);
  }
  return canonical;
}

/** The headers, with those given in the place of others of the same name. */
export function replaceHeaders(headers: HeaderList, given: HeaderList): HeaderList {
  if (given.length === 0) return headers;
  const replaced = new Set(given.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...given];
}

/** Headers as JSON shows them; undefined when there are none. Safe for any name. */
export function headerRecord(headers: HeaderList): Record<string, string[]> | undefined {
  if (headers.length === 0) return undefined;
  const record = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headers) {
    const canonical = canonicalHeaderName(name);
    const values = record[canonical];
    if (values === undefined) record[canonical] = [value];
    else values.push(value);
  }
  return record;
}
