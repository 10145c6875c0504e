import type { Instant } from "../time.ts";

/** Upper bounds of the answer times that are counted together, in milliseconds; the last is open. */
export const DURATION_BOUNDS_MS = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000,
] as const;
export const DURATION_BUCKETS = DURATION_BOUNDS_MS.length + 1;

export const STAT_STEPS_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type StatStep = keyof typeof STAT_STEPS_MS;

/** How long the steps are kept. Those of hosts are hours, and kept for less. */
export const STAT_RETENTION_MS: Readonly<Record<StatStep | "host", number>> = {
  minute: STAT_STEPS_MS.day,
  hour: 31 * STAT_STEPS_MS.day,
  day: 400 * STAT_STEPS_MS.day,
  host: 2 * STAT_STEPS_MS.day,
};

/** What is counted of the messages of an account: each has its column and its sum. */
export const STAT_COUNTS = [
  // Messages that were created, also by schedules, callbacks and runs.
  "published",
  // Attempts that ended.
  "attempts",
  "failedAttempts",
  "delivered",
  "deadLettered",
  "canceled",
  // How long the attempts took together.
  "durationMs",
] as const;

/** What happened to the messages of an account in a while. */
export type Stats = Readonly<StatCounts> & {
  /** How many attempts took as long as each bucket of DURATION_BOUNDS_MS says. */
  readonly durations: readonly number[];
};

type StatCounts = Record<(typeof STAT_COUNTS)[number], number>;

export function countsBy(count: (name: keyof StatCounts) => number): StatCounts {
  return Object.fromEntries(STAT_COUNTS.map((name) => [name, count(name)])) as StatCounts;
}

/** The stats of one step of a series. */
export interface StatPoint extends Stats {
  readonly startAt: Instant;
}

export interface HostStats extends Stats {
  readonly host: string;
}

export function startOfStep(at: Instant, step: StatStep): Instant {
  return at - (at % STAT_STEPS_MS[step]);
}

export function durationBucket(durationMs: number): number {
  const index = DURATION_BOUNDS_MS.findIndex((boundMs) => durationMs <= boundMs);
  return index === -1 ? DURATION_BOUNDS_MS.length : index;
}

/**
 * The time within which a share of the attempts ended, as exact as the buckets are: between the
 * bounds of a bucket it is interpolated. Null without attempts.
 */
export function quantileMs({ durations }: Pick<Stats, "durations">, share: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let rest = share * total;
  for (const [index, count] of durations.entries()) {
    const fromMs = DURATION_BOUNDS_MS[index - 1] ?? 0;
    const toMs = DURATION_BOUNDS_MS[index] ?? fromMs;
    if (count > 0 && rest <= count) return Math.round(fromMs + (toMs - fromMs) * (rest / count));
    rest -= count;
  }
  return DURATION_BOUNDS_MS.at(-1)!;
}

/** The messages of an account that wait, as counted at one instant. */
interface Backlog {
  /** Those that could be sent now, if nothing held them back. */
  readonly due: number;
  /** Those whose delay or retry is not over. */
  readonly later: number;
  /** For how long the first of the due ones has been due; null when none is. */
  readonly oldestDueMs: number | null;
}

/** The last count of a step of a series. */
export interface BacklogPoint extends Backlog {
  readonly startAt: Instant;
}

export interface BacklogCount extends Backlog {
  readonly accountId: string;
}

export interface BacklogRow extends BacklogCount {
  readonly step: StatStep;
  readonly startAt: Instant;
}

/** The rows of counts that were made at one instant, one for each length of step. */
export function backlogRows(counts: readonly BacklogCount[], at: Instant): BacklogRow[] {
  const steps: readonly StatStep[] = ["minute", "hour", "day"];
  return counts.flatMap((count) =>
    steps.map((step) => ({ ...count, step, startAt: startOfStep(at, step) })),
  );
}

export const DAY_MS = 86_400_000;

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

export function startOfDay(day: number): Instant {
  return day * DAY_MS;
}
