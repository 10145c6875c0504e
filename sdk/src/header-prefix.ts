import { PostriderError } from "./errors.ts";
import type { HeaderRecord } from "./settings.ts";

export const DEFAULT_PREFIX = "Svc-";

/**
 * The same headers with another prefix, also those for the destination. Header names of callers are
 * in lower case here, so none of theirs is taken for ours.
 */
export function withPrefix(headers: HeaderRecord, prefix: string): HeaderRecord {
  if (prefix === DEFAULT_PREFIX) return headers;
  const named = (name: string): string =>
    name.replace(/^Svc-/, prefix).replace("-Forward-Svc-", `-Forward-${prefix}`);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [named(name), value]));
}

export function requirePrefix(prefix: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]*-$/.test(prefix)) return prefix;
  throw new PostriderError("headerPrefix must be a word with a dash at its end, such as Upstash-");
}

/**
 * Refuses what no header can carry, by the name of the header: its value may be a secret. `fetch` would
 * fail as if the service had not answered.
 */
export function requireSendable(headers: HeaderRecord): HeaderRecord {
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) {
      throw new PostriderError(`${JSON.stringify(name)} is no name of a header`);
    }
    if (!VALUE.test(value.trim())) {
      throw new PostriderError(`${name}: holds a control character or one outside of Latin-1`);
    }
  }
  return headers;
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
