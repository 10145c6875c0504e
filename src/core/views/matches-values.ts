import type { Instant } from "../model/time.ts";

/** The values that a filter wants; true when it has no such field. */
export function isAmong<Value>(
  wanted: readonly Value[] | undefined,
  value: Value | undefined,
): boolean {
  return wanted === undefined || (value !== undefined && wanted.includes(value));
}

/** The dates of a filter. Both bounds are inclusive. */
export function isWithin(
  { fromAt, toAt }: { readonly fromAt?: Instant | undefined; readonly toAt?: Instant | undefined },
  at: Instant,
): boolean {
  return (fromAt === undefined || at >= fromAt) && (toAt === undefined || at <= toAt);
}

/** What messages and runs have in common, as a filter wants it. */
export interface CommonFilter {
  readonly callerIps?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly flowControlKeys?: readonly string[] | undefined;
}

export interface Common {
  readonly callerIp: string;
  readonly labels?: readonly string[] | undefined;
  readonly flowControl?: { readonly key: string } | undefined;
}

export function matchesCommon(filter: CommonFilter, found: Common): boolean {
  return (
    isAmong(filter.callerIps, found.callerIp) &&
    isAmong(filter.flowControlKeys, found.flowControl?.key) &&
    (filter.labels?.some((label) => found.labels?.includes(label)) ?? true)
  );
}
