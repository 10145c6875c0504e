import {
  type BacklogPoint,
  DURATION_BOUNDS_MS,
  type HostStats,
  quantileMs,
  STAT_RETENTION_MS,
  STAT_STEPS_MS,
  startOfStep,
  type StatPoint,
  type Stats,
  type StatStep,
} from "../../core/model/account/stats.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import type { Instant } from "../../core/model/time.ts";
import { countUpTo, oneOf, readParameters, single } from "../filters/filter-parameters.ts";
import {
  choice,
  flag,
  inlineObject,
  instant,
  integer,
  list,
  object,
  orNull,
  type Schema,
  text,
  type TypeOf,
} from "../json/schema.ts";
import { invalidRequest, parseInteger } from "../headers/header-value.ts";

/** A part of a series, on the bounds of its steps. */
export interface StatQuery {
  readonly step: StatStep;
  readonly fromAt: Instant;
  /** Not included. */
  readonly toAt: Instant;
  readonly host: string | undefined;
}

export interface HostQuery {
  readonly fromAt: Instant;
  readonly count: number;
}

const STEPS_DEFAULT = 60;
const POINTS_MAX = 1_440;
const HOSTS_DEFAULT = 20;
const PERIODS: readonly string[] = ["1h", "3h", "12h", "1d", "3d", "7d", "30d"];
const STEPS = Object.keys(STAT_STEPS_MS) as StatStep[];

export const SERIES_ROWS = [
  single("step", "The length of a step. Default: `minute`.", choice(STEPS), oneOf(STEPS)),
  single("from", "Unix milliseconds. Default: 60 steps before `to`.", integer(), parseInteger),
  single("to", "Unix milliseconds. Default: now.", integer(), parseInteger),
  single("host", "Only attempts at this host. Needs `step=hour`."),
];
export const HOST_ROWS = [
  single("from", "Unix milliseconds. Default: an hour ago.", integer(), parseInteger),
  single("count", "How many hosts, at most 100. Default: 20.", integer(), countUpTo(100)),
];
export const PERIOD_ROWS = [
  single("period", "How far back. Default: 1d.", choice(PERIODS), oneOf(PERIODS)),
];

/** By default the last 60 steps, with the one that has begun. */
export function readStatQuery(query: string, now: Instant): StatQuery {
  const given = readParameters(query, SERIES_ROWS);
  const { step = "minute", to = now, host } = given;
  const stepMs = STAT_STEPS_MS[step];
  const toAt = startOfStep(to - 1, step) + stepMs;
  const { from = toAt - STEPS_DEFAULT * stepMs } = given;
  const fromAt = startOfStep(from, step);
  if (from >= to) throw invalidRequest("from: must be before to");
  if ((toAt - fromAt) / stepMs > POINTS_MAX) {
    throw invalidRequest(`from: is more than ${POINTS_MAX} steps before to`);
  }
  if (host !== undefined && step !== "hour") {
    throw invalidRequest("host: is counted by step=hour only");
  }
  return { step, fromAt, toAt, host };
}

/** By default the last hour. Hosts are counted by the hour. */
export function readHostQuery(query: string, now: Instant): HostQuery {
  const given = readParameters(query, HOST_ROWS);
  const { from = now - STAT_STEPS_MS.hour, count = HOSTS_DEFAULT } = given;
  return { fromAt: startOfStep(from, "hour"), count };
}

/** How far back the counts of an account go. */
export function readStatsPeriod(query: string) {
  const { period: name = "1d" } = readParameters(query, PERIOD_ROWS);
  return { name, periodMs: parseDuration(name) };
}

export function seriesJson(
  { step, fromAt, toAt }: StatQuery,
  { points, backlog }: ShownSeries,
): TypeOf<typeof SERIES> {
  return {
    step,
    from: fromAt,
    to: toAt,
    keptForMs: STAT_RETENTION_MS[step],
    durationBoundsMs: DURATION_BOUNDS_MS,
    points: points.map(({ startAt, ...stats }) => ({ at: startAt, ...statsJson(stats) })),
    backlog: backlog.map(({ startAt, ...waiting }) => ({ at: startAt, ...waiting })),
  };
}

interface ShownSeries {
  readonly points: readonly StatPoint[];
  readonly backlog: readonly BacklogPoint[];
}

export function hostsJson(
  { fromAt }: HostQuery,
  hosts: readonly HostStats[],
): TypeOf<typeof HOSTS> {
  return {
    from: fromAt,
    hosts: hosts.map(({ host, ...stats }) => ({ host, ...statsJson(stats) })),
  };
}

export function statsJson(stats: Stats) {
  const { durationMs: _durationMs, ...counts } = stats;
  return {
    ...counts,
    p50Ms: quantileMs(stats, 0.5),
    p95Ms: quantileMs(stats, 0.95),
    p99Ms: quantileMs(stats, 0.99),
  };
}

const DAY_COUNTS = {
  messages: integer("Messages created.", 120),
  delivered: integer("Messages delivered.", 118),
  failed: integer("Messages that became dead letters.", 2),
  dropped: integer("Dead letters deleted because there were too many.", 0),
};

export const ACCOUNT_STATS = object("AccountStats", {
  period: text("The period.", "1d"),
  ...DAY_COUNTS,
  daily_requests: integer("Messages of today.", 120),
  over_daily_limit: flag("Today's messages exceed max_requests_per_day.", false),
  days: list(inlineObject({ day: text("The day (UTC).", "2026-01-01"), ...DAY_COUNTS })),
});

const QUANTILE: Schema<number | null> = { type: ["number", "null"] };
const STATS = {
  published: integer("Messages created.", 120),
  attempts: integer("Attempts that ended.", 131),
  failedAttempts: integer("Attempts that failed.", 11),
  delivered: integer("Messages delivered.", 118),
  deadLettered: integer("Messages that became dead letters.", 2),
  canceled: integer("Messages canceled.", 0),
  p50Ms: { ...QUANTILE, description: "Half of the attempts took no longer.", examples: [34] },
  p95Ms: { ...QUANTILE, description: "95 % of the attempts took no longer.", examples: [210] },
  p99Ms: { ...QUANTILE, description: "99 % of the attempts took no longer.", examples: [480] },
  durations: list(integer(), "Attempts by how long they took, in buckets."),
};

export const STAT_POINT = object("StatPoint", {
  at: instant("When the step begins."),
  ...STATS,
});

export const SERIES = object("Series", {
  step: choice(Object.keys(STAT_STEPS_MS)),
  from: instant("The beginning of the first step."),
  to: instant("The end of the last step."),
  keptForMs: integer("How long such steps are kept."),
  durationBoundsMs: list(integer(), "Upper bounds of the buckets; the last one has none."),
  points: list(STAT_POINT),
  backlog: list(
    object("BacklogPoint", {
      at: instant("When the step begins."),
      due: integer("Messages that were due.", 3),
      later: integer("Messages whose delay or retry was not over.", 40),
      oldestDueMs: orNull(integer("How long the first one had been due.", 1_200)),
    }),
    "What waited at the end of each step.",
  ),
});

export const HOST_STATS = object("HostStats", {
  host: text("Host, and port unless it is usual.", "example.com"),
  ...STATS,
});

export const HOSTS = object("Hosts", {
  from: instant("Since when is counted."),
  hosts: list(HOST_STATS),
});
