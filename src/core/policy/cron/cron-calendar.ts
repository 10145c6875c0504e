import type { CalendarEntry } from "./cron-grammar.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The 29th of February can be eight years away: 2096, 2104. */
const MONTHS_SEARCHED = 12 * 9;

/**
 * The first matching minute at or after `wall`, both read off the wall clock: milliseconds as if
 * the zone were UTC. Null when none comes within nine years.
 */
export function nextWall(entry: CalendarEntry, wall: number): number | null {
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
