/** What a change of the clocks does to a schedule, by the rules of the server. */
import { type CronFields, readCronFields } from "./cron-fields.ts";
import { type ClockChange, placeOf, splitZone, wallText, wallTime } from "./zone.ts";

/** `Clocks go back in Berlin on Sun 25 Oct at 03:00. It still runs at 09:00 there.` */
export function changeText(cron: string, change: ClockChange, now: number): string {
  const { zone } = splitZone(cron);
  const effect = effectOf(cron, change, zone);
  return effect === ""
    ? changeSentence(change, zone, now)
    : `${changeSentence(change, zone, now)} ${effect}`;
}

export function changeSentence(
  { at, fromMs, toMs }: ClockChange,
  zone: string,
  now: number,
): string {
  const isBack = toMs < fromMs;
  // What the clocks show at the change, before they are set.
  const shown = wallText(at + fromMs, "UTC", now).replace(",", " at");
  return `Clocks go ${isBack ? "back" : "forward"} in ${placeOf(zone)} on ${shown}.`;
}

function effectOf(cron: string, change: ClockChange, zone: string): string {
  const entry = readCronFields(cron);
  if (entry?.kind !== "calendar") return "";
  const { at, fromMs, toMs } = change;
  const isBack = toMs < fromMs;
  const start = at + Math.min(fromMs, toMs);
  const end = at + Math.max(fromMs, toMs);
  const isOnce = entry.minutes.length === 1 && entry.hours.length === 1;
  const ticks = ticksIn(entry, start, end);
  const [tick] = ticks;
  if (tick === undefined) {
    return isOnce ? `It still runs at ${clockOf(entry)} there.` : "";
  }
  if (isOnce) {
    return isBack
      ? `${clockOf(entry)} comes twice that day; it runs once, the first time.`
      : `${clockOf(entry)} does not exist that day; it runs at ${wallTime(at, zone)} instead.`;
  }
  const between = `between ${wallTime(start, "UTC")} and ${wallTime(end, "UTC")}`;
  return isBack
    ? `The time ${between} comes twice; it runs both times.`
    : `The time ${between} does not exist that day; it does not run then.`;
}

/** The minutes of the wall clock that the expression names, between two readings of it. */
function ticksIn(entry: CronFields, start: number, end: number): number[] {
  const minutes = Math.min(MINUTES_MAX, Math.round((end - start) / 60_000));
  return Array.from({ length: minutes }, (_, index) => start + index * 60_000).filter((wall) =>
    isNamed(entry, new Date(wall)),
  );
}

function isNamed(entry: CronFields, wall: Date): boolean {
  const isDay = entry.days.includes(wall.getUTCDate());
  const isWeekday = entry.weekdays.includes(wall.getUTCDay());
  const isDate = entry.isAnyDay || entry.isAnyWeekday ? isDay && isWeekday : isDay || isWeekday;
  return (
    isDate &&
    entry.months.includes(wall.getUTCMonth() + 1) &&
    entry.hours.includes(wall.getUTCHours()) &&
    entry.minutes.includes(wall.getUTCMinutes())
  );
}

function clockOf({ hours, minutes }: CronFields): string {
  return `${String(hours[0]).padStart(2, "0")}:${String(minutes[0]).padStart(2, "0")}`;
}

/** No clock is set by more than a day. */
const MINUTES_MAX = 1_500;
