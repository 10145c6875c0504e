import type { Instant } from "../time.ts";

export const DAY_MS = 86_400_000;

/** Counts of an account for one day. */
export interface DailyCount {
  /** Days since the beginning of 1970, UTC. */
  readonly day: number;
  /** Messages created by publishers, callbacks, schedules, workflows and retried dead letters. */
  readonly messages: number;
  readonly delivered: number;
  /** Messages that ended as dead letters. */
  readonly failed: number;
  /** Dead letters deleted because the account had too many. */
  readonly dropped: number;
}

export function dayOf(at: Instant): number {
  return Math.floor(at / DAY_MS);
}

/** The instant at which a day begins. */
export function startOfDay(day: number): Instant {
  return day * DAY_MS;
}
