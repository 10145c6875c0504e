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
