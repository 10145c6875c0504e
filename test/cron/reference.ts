/** Cron by brute force: walks minute by minute and asks Intl what the wall clock shows. */

const MINUTE_MS = 60_000;

/** A cron expression, and what it means said without a parser. */
export interface Meaning {
  readonly cron: string;
  readonly isDay: (date: Date) => boolean;
  readonly isTime: (hour: number, minute: number) => boolean;
  /** Hour and minute, when each is a single number. */
  readonly once?: readonly [hour: number, minute: number];
}

const everyDay: Meaning["isDay"] = () => true;

export const MEANINGS: readonly Meaning[] = [
  once("30 2 * * *", 2, 30, everyDay),
  once("0 0 * * *", 0, 0, everyDay),
  once("15 1 * * *", 1, 15, everyDay),
  once("45 23 * * *", 23, 45, everyDay),
  once("0 3 * * 0", 3, 0, (date) => date.getUTCDay() === 0),
  once("0 2 13 * 1-5", 2, 0, (date) => date.getUTCDate() === 13 || isWorkday(date)),
  often("* * * * *", () => true),
  often("*/30 * * * *", (_hour, minute) => minute % 30 === 0),
  often("0 * * * *", (_hour, minute) => minute === 0),
  often("*/15 0-3 * * *", (hour, minute) => hour <= 3 && minute % 15 === 0),
  often(
    "10,50 2 * * 6-7",
    (hour, minute) => hour === 2 && (minute === 10 || minute === 50),
    isWeekend,
  ),
  often("59 1,23 * * *", (hour, minute) => minute === 59 && (hour === 1 || hour === 23)),
  often("0 */2 1-15 * *", (hour, minute) => minute === 0 && hour % 2 === 0, isFirstHalf),
];

/** What the wall clock shows at each minute from `from`, as if it were UTC. */
export function wallClock(zone: string, from: number, minutes: number): Float64Array {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const walls = new Float64Array(minutes);
  for (let index = 0; index < minutes; index++) {
    const text = format.format(from + index * MINUTE_MS);
    const part = (start: number, length: number): number =>
      Number(text.slice(start, start + length));
    walls[index] = Date.UTC(part(6, 4), part(0, 2) - 1, part(3, 2), part(12, 2), part(15, 2));
  }
  return walls;
}

/** Every instant at which an expression fires while the wall clock shows these minutes. */
export function firings(meaning: Meaning, from: number, walls: Float64Array): number[] {
  const found: number[] = [];
  const done = new Set<number>();
  for (let index = 1; index < walls.length; index++) {
    const at = from + index * MINUTE_MS;
    if (meaning.once === undefined) {
      if (matches(meaning, walls[index]!)) found.push(at);
    } else if (runsNow(meaning, walls[index - 1]!, walls[index]!, done)) found.push(at);
  }
  return found;
}

/** The minute shown now, or one that was left out just before it, is the one of its date. */
function runsNow(meaning: Meaning, before: number, now: number, done: Set<number>): boolean {
  let runs = false;
  for (let wall = Math.min(before + MINUTE_MS, now); wall <= now; wall += MINUTE_MS) {
    if (!matches(meaning, wall)) continue;
    const date = Math.floor(wall / 86_400_000);
    if (!done.has(date)) runs = true;
    done.add(date);
  }
  return runs;
}

function matches({ isDay, isTime }: Meaning, wall: number): boolean {
  const minuteOfDay = (wall / MINUTE_MS) % 1_440;
  return isTime(Math.floor(minuteOfDay / 60), minuteOfDay % 60) && isDay(new Date(wall));
}

function once(cron: string, hour: number, minute: number, isDay: Meaning["isDay"]): Meaning {
  const isTime = (h: number, m: number): boolean => h === hour && m === minute;
  return { cron, isDay, isTime, once: [hour, minute] };
}

function often(cron: string, isTime: Meaning["isTime"], isDay = everyDay): Meaning {
  return { cron, isTime, isDay };
}

function isWorkday(date: Date): boolean {
  return !isWeekend(date);
}

function isWeekend(date: Date): boolean {
  return date.getUTCDay() === 0 || date.getUTCDay() === 6;
}

function isFirstHalf(date: Date): boolean {
  return date.getUTCDate() <= 15;
}
