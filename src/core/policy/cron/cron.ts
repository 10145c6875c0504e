import type { Instant } from "../../model/time.ts";
import { Problem } from "../../problem.ts";
import { type CalendarEntry, type CronExpression, parseCron } from "./cron-grammar.ts";
import { type TimeZone, timeZone } from "./time-zone.ts";

const DAY_MS = 86_400_000;
/** No zone is further from UTC than this, and no clock is ever moved by more. */
const SHIFT_MS_MAX = 2 * DAY_MS;
const EXPRESSIONS_KEPT_MAX = 10_000;

export interface Cron {
  /** The first instant after the one given; null when none comes. */
  next(after: Instant): Instant | null;
}

const kept = new Map<string, Cron>();

/** Reads an expression, or refuses it without the field's name. Caches parsed expressions. */
export function readCron(text: string): Cron {
  const before = kept.get(text);
  if (before !== undefined) return before;
  const cron = cronOf(parseCron(text));
  if (kept.size >= EXPRESSIONS_KEPT_MAX) kept.clear();
  kept.set(text, cron);
  return cron;
}

/** The next instants; fewer where the expression ends. */
export function nextInstants(cron: Cron, after: Instant, count: number): Instant[] {
  const instants: Instant[] = [];
  let last: Instant | null = after;
  while (instants.length < count) {
    last = cron.next(last);
    if (last === null) break;
    instants.push(last);
  }
  return instants;
}

function cronOf(expression: CronExpression): Cron {
  if (expression.kind === "every") {
    const { periodMs } = expression;
    return { next: (after) => (Math.floor(after / periodMs) + 1) * periodMs };
  }
  const zone = timeZone(expression.zone);
  if (zone === null) {
    throw new Problem("invalid-request", `CRON_TZ: "${expression.zone}" is not an IANA time zone`);
  }
  const isOnceADay = expression.hours.length === 1 && expression.minutes.length === 1;
  return {
    next: (after) =>
      isOnceADay ? nextOnceADay(expression, zone, after) : nextOften(expression, zone, after),
  };
}

/** Every matching minute of the wall clock: a repeated one fires twice, a skipped one never. */
function nextOften(entry: CalendarEntry, zone: TimeZone, after: Instant): Instant | null {
  let from = after + 1;
  for (;;) {
    const { until, offsetMs } = zone.stretchAt(from);
    const wall = nextWall(entry, from + offsetMs);
    if (wall === null) return null;
    const at = wall - offsetMs;
    if (at < until) return at;
    // Beyond the largest clock change, no earlier minute of the wall clock can come again.
    from = until - from > SHIFT_MS_MAX ? Math.max(until, at - SHIFT_MS_MAX) : until;
  }
}

/** Once on each matching date: at the end of a gap in the wall clock, the first time in a fold. */
function nextOnceADay(entry: CalendarEntry, zone: TimeZone, after: Instant): Instant | null {
  let wall: number | null = after - SHIFT_MS_MAX;
  for (;;) {
    wall = nextWall(entry, wall);
    if (wall === null) return null;
    const at = instantOf(wall, zone);
    if (at !== null && at > after) return at;
    wall += 1;
  }
}

/** The first instant whose wall clock shows or skips this time; null when it skips the date. */
function instantOf(wall: number, zone: TimeZone): Instant | null {
  let stretch = zone.stretchAt(wall - SHIFT_MS_MAX);
  for (;;) {
    const at = wall - stretch.offsetMs;
    if (at < stretch.until) return at;
    const next = zone.stretchAt(stretch.until);
    if (wall - next.offsetMs < next.from) {
      const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
      const isDateGone =
        midnight - stretch.offsetMs >= next.from && midnight + DAY_MS - next.offsetMs <= next.from;
      return isDateGone ? null : next.from;
    }
    stretch = next;
  }
}

const MINUTE_MS = 60_000;

/** The 29th of February can be eight years away: 2096, 2104. */
const MONTHS_SEARCHED = 12 * 9;

/**
 * The first matching minute at or after `wall`, both read off the wall clock: milliseconds as if
 * the zone were UTC. Null when none comes within nine years.
 */
function nextWall(entry: CalendarEntry, wall: number): number | null {
  const from = Math.ceil(wall / MINUTE_MS) * MINUTE_MS;
  const today = Math.floor(from / DAY_MS) * DAY_MS;
  if (matchesDay(entry, new Date(today))) {
    const time = nextTimeOfDay(entry, (from - today) / MINUTE_MS);
    if (time !== null) return today + time * MINUTE_MS;
  }
  const day = nextDay(entry, today + DAY_MS);
  return day === null ? null : day + (entry.hours[0]! * 60 + entry.minutes[0]!) * MINUTE_MS;
}

/** Minutes since midnight, at or after those given. */
function nextTimeOfDay({ hours, minutes }: CalendarEntry, from: number): number | null {
  const hourNow = Math.floor(from / 60);
  for (const hour of hours) {
    if (hour < hourNow) continue;
    if (hour > hourNow) return hour * 60 + minutes[0]!;
    for (const minute of minutes) if (hour * 60 + minute >= from) return hour * 60 + minute;
  }
  return null;
}

/** The first matching day at or after the one given; months that do not match are skipped. */
function nextDay(entry: CalendarEntry, from: number): number | null {
  let date = new Date(from);
  for (let searched = 0; searched < MONTHS_SEARCHED; searched++) {
    const month = date.getUTCMonth();
    if (entry.months.includes(month + 1)) {
      while (date.getUTCMonth() === month) {
        if (matchesDay(entry, date)) return date.getTime();
        date = new Date(date.getTime() + DAY_MS);
      }
    } else {
      date = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 1));
    }
  }
  return null;
}

/** When both day fields are restricted, either one suffices. */
function matchesDay(entry: CalendarEntry, date: Date): boolean {
  if (!entry.months.includes(date.getUTCMonth() + 1)) return false;
  const isDay = entry.days.includes(date.getUTCDate());
  const isWeekday = entry.weekdays.includes(date.getUTCDay());
  return entry.isAnyDay || entry.isAnyWeekday ? isDay && isWeekday : isDay || isWeekday;
}
