import type { Instant } from "../../model/time.ts";
import type { SkippedTicks } from "../../model/schedule/schedule.ts";
import { type Cron, readCron } from "../../policy/cron/cron.ts";

/** A tick later than this is skipped. */
export const LATE_MS_MAX = 24 * 3_600_000;
export const SKIPPED_COUNTED_MAX = 10_000;
/** A next instant further ahead than this is taken for the result of a wrong clock. */
const AHEAD_MS_MAX = 3_600_000;

export interface TickPlan {
  /** The tick that is published; null when all are too old. */
  readonly fireAt: Instant | null;
  /** Those before it. */
  readonly skipped: SkippedTicks | null;
  /** The first tick that is not due yet. */
  readonly nextAt: Instant | null;
}

/** The latest is published, unless it is a day late; those before it are recorded as skipped. */
export function planTicks(cronText: string, dueAt: Instant, now: Instant): TickPlan {
  const cron = readCron(cronText);
  const oldest = now - LATE_MS_MAX;
  const latest = latestUntil(cron, Math.max(dueAt, oldest), now);
  const fireAt = latest ?? (dueAt >= oldest ? dueAt : null);
  const skipped = skippedBefore(cron, dueAt, fireAt ?? now + 1);
  // The clock may have been set back since the tick was due.
  return { fireAt, skipped, nextAt: cron.next(Math.max(dueAt, now)) };
}

/**
 * The first instant from now, when the next one is so late that a clock must have been wrong. After
 * a clock that is known to have been ahead, the next one is always replaced.
 */
export function retimed(
  cronText: string,
  nextAt: Instant,
  now: Instant,
  wasAhead = false,
): Instant | null {
  const cron = readCron(cronText);
  const expected = cron.next(wasAhead ? now : now + AHEAD_MS_MAX);
  return expected !== null && expected < nextAt ? cron.next(now) : null;
}

/** The last tick after one instant and not after another. */
function latestUntil(cron: Cron, after: Instant, until: Instant): Instant | null {
  let latest: Instant | null = null;
  for (let at = cron.next(after); at !== null && at <= until; at = cron.next(at)) latest = at;
  return latest;
}

function skippedBefore(cron: Cron, firstAt: Instant, end: Instant): SkippedTicks | null {
  if (firstAt >= end) return null;
  let count = 0;
  let lastAt = firstAt;
  for (let at: Instant | null = firstAt; at !== null && at < end; at = cron.next(at)) {
    lastAt = at;
    count += 1;
    if (count === SKIPPED_COUNTED_MAX) {
      // With so many ticks, the last one is among those of the last day.
      lastAt = latestUntil(cron, Math.max(at, end - LATE_MS_MAX), end - 1) ?? at;
      break;
    }
  }
  return { firstAt, lastAt, count };
}
