/** Counts over time, with the steps in which nothing happened. */
import type { Hosts, StatPoint } from "../answers/stats.ts";
import { serverNow } from "../app/clock.ts";
import { clockText } from "../app/format.ts";

/** What all charts of the overview are given. */
export interface ChartCommon {
  readonly times: readonly number[];
  readonly isLoading: boolean;
  readonly problem: string | null;
  readonly empty: string;
  readonly onRetry: () => void;
}

/** Hosts are counted by the hour, so this is one to two hours ago, or when the account was created. */
export function sinceText({ from }: Pick<Hosts, "from">): string {
  return clockText(from, serverNow()).replace(/:\d\d$/, "");
}

export type Range = "1h" | "24h" | "7d";

export const RANGES: Readonly<
  Record<
    Range,
    {
      readonly name: string;
      readonly step: "minute" | "hour";
      readonly stepMs: number;
      readonly steps: number;
      readonly words: string;
    }
  >
> = {
  "1h": { name: "1 h", step: "minute", stepMs: 60_000, steps: 60, words: "last hour" },
  "24h": { name: "24 h", step: "hour", stepMs: 3_600_000, steps: 24, words: "last 24 hours" },
  "7d": { name: "7 d", step: "hour", stepMs: 3_600_000, steps: 168, words: "last 7 days" },
};

/** One point for each step up to now. */
export function filled(points: readonly StatPoint[], range: Range, now: number): StatPoint[] {
  const { stepMs, steps } = RANGES[range];
  const known = new Map(points.map((point) => [point.at, point]));
  const last = Math.floor(now / stepMs) * stepMs;
  return Array.from({ length: steps }, (_, index) => {
    const at = last - (steps - 1 - index) * stepMs;
    return known.get(at) ?? { ...NOTHING, at };
  });
}

/** The average of a step: of the one that has begun only the part that has passed counts. */
export function perStep(total: number, range: Range, now: number): number {
  const { stepMs, steps } = RANGES[range];
  return total / (steps - 1 + Math.max(0.01, (now % stepMs) / stepMs));
}

/** The duration that this share of all attempts of the points did not exceed; null without attempts. */
export function quantileOf(
  points: readonly Pick<StatPoint, "durations">[],
  boundsMs: readonly number[],
  share: number,
): number | null {
  const counts = Array.from({ length: boundsMs.length + 1 }, (_, bucket) =>
    points.reduce((sum, { durations }) => sum + (durations[bucket] ?? 0), 0),
  );
  let rest = share * counts.reduce((sum, count) => sum + count, 0);
  if (rest === 0) return null;
  for (const [bucket, count] of counts.entries()) {
    const fromMs = boundsMs[bucket - 1] ?? 0;
    const toMs = boundsMs[bucket] ?? fromMs;
    if (count > 0 && rest <= count) return Math.round(fromMs + (toMs - fromMs) * (rest / count));
    rest -= count;
  }
  return boundsMs.at(-1) ?? null;
}

export function sumOf(
  points: readonly StatPoint[],
  field: "published" | "attempts" | "failedAttempts" | "delivered" | "deadLettered",
): number {
  return points.reduce((sum, point) => sum + point[field], 0);
}

const NOTHING = {
  at: 0,
  published: 0,
  attempts: 0,
  failedAttempts: 0,
  delivered: 0,
  deadLettered: 0,
  canceled: 0,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  durations: [],
};
