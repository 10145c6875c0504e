import type { Instant } from "../message/message.ts";

/** What an account did on one day. */
export interface DailyCount {
  /** Days since the beginning of 1970, UTC. */
  readonly day: number;
  /** Messages made, by whatever: publishers, callbacks, schedules, workflows, dead letters. */
  readonly messages: number;
  readonly delivered: number;
  /** Ended as dead letters. */
  readonly failed: number;
  /** Dead letters that went because the account had too many. */
  readonly dropped: number;
}

export function dayOf(at: Instant): number {
  return Math.floor(at / DAY_MS);
}

/** The instant at which a day begins. */
export function startOfDay(day: number): Instant {
  return day * DAY_MS;
}

const DAY_MS = 86_400_000;
