/** A cron expression in words: `At 09:00 on weekdays`. */
import { type CronFields, readCronFields } from "./cron-fields.ts";
import { durationText } from "../app/format.ts";

/** Null when the expression cannot be read. The zone is not said. */
export function cronWords(cron: string): string | null {
  const entry = readCronFields(cron);
  if (entry === null) return null;
  if (entry.kind === "every") return `Every ${durationText(entry.periodMs)}`;
  const time = timeWords(entry);
  const days = dayWords(entry, time.isOften);
  return days === "" ? time.words : `${time.words} ${days}`;
}

interface TimeWords {
  readonly words: string;
  /** It runs all day, so that "every day" need not be said. */
  readonly isOften: boolean;
}

function timeWords({ minutes, hours }: CronFields): TimeWords {
  const minuteStep = stepOf(minutes, 60);
  const hourStep = stepOf(hours, 24);
  const isEveryHour = hours.length === 24;
  const [minute = 0] = minutes;
  const [hour = 0] = hours;
  if (isEveryHour && minuteStep !== null) {
    return {
      words: minuteStep === 1 ? "Every minute" : `Every ${minuteStep} minutes`,
      isOften: true,
    };
  }
  if (isEveryHour) {
    const isOnTheHour = minutes.length === 1 && minute === 0;
    return {
      words: isOnTheHour
        ? "Every hour"
        : `At minute${minutes.length === 1 ? "" : "s"} ${listed(minutes.map(String))} of every hour`,
      isOften: true,
    };
  }
  if (minutes.length === 1 && hourStep !== null) {
    const at = minute === 0 ? "" : ` at minute ${minute}`;
    return { words: `Every ${hourStep} hours${at}`, isOften: true };
  }
  const span = `from ${clock(hour, minute)} to ${clock(hours.at(-1)!, minutes.at(-1)!)}`;
  if (isRun(hours) && hours.length > 2 && minutes.length === 1) {
    return { words: `Every hour ${span}`, isOften: false };
  }
  if (isRun(hours) && minuteStep !== null) {
    const every = minuteStep === 1 ? "minute" : `${minuteStep} minutes`;
    return { words: `Every ${every} ${span}`, isOften: false };
  }
  if (minutes.length * hours.length <= TIMES_MAX) {
    const times = hours.flatMap((each) => minutes.map((at) => clock(each, at)));
    return { words: `At ${listed(times)}`, isOften: false };
  }
  const past = `past hour${hours.length === 1 ? "" : "s"} ${listed(hours.map(String))}`;
  return { words: `At minutes ${listed(minutes.map(String))} ${past}`, isOften: false };
}

function dayWords(entry: CronFields, isOften: boolean): string {
  const { days, months, weekdays } = entry;
  const ofMonths = months.length === 12 ? "of every month" : `of ${listed(months.map(monthName))}`;
  const inMonths = months.length === 12 ? "" : `in ${listed(months.map(monthName))}`;
  const onDays =
    days.length === 1 && months.length === 1
      ? `on ${days[0]} ${monthName(months[0]!)}`
      : `on day${days.length === 1 ? "" : "s"} ${numbersListed(days)} ${ofMonths}`;
  const onWeekdays = weekdayWords(weekdays);
  const hasDays = days.length < 31;
  const hasWeekdays = weekdays.length < 7;
  if (!hasDays && !hasWeekdays) return joined(isOften ? "" : "every day", inMonths);
  if (!hasDays) return joined(onWeekdays, inMonths);
  if (!hasWeekdays) return onDays;
  // One of the two is enough.
  return joined(`${onDays}, and`, onWeekdays, inMonths);
}

function joined(...words: readonly string[]): string {
  return words.filter(Boolean).join(" ");
}

function weekdayWords(weekdays: readonly number[]): string {
  const key = weekdays.join(",");
  if (key === "1,2,3,4,5") return "on weekdays";
  if (key === "0,6") return "on weekends";
  if (isRun(weekdays) && weekdays.length > 2)
    return `from ${WEEKDAYS[weekdays[0]!]} to ${WEEKDAYS[weekdays.at(-1)!]}`;
  // A week is read from Monday.
  const ordered = weekdays.toSorted((one, other) => ((one + 6) % 7) - ((other + 6) % 7));
  return `on ${listed(ordered.map((day) => WEEKDAYS[day]!))}`;
}

/** The step of values that begin with 0 and divide the whole; null when there is none. */
function stepOf(values: readonly number[], whole: number): number | null {
  const step = whole / values.length;
  if (!Number.isInteger(step) || values.length === 1) return null;
  return values.every((value, index) => value === index * step) ? step : null;
}

function isRun(values: readonly number[]): boolean {
  return values.every((value, index) => value === values[0]! + index);
}

/** `1, 3 and 5`; runs of three and more as `1 to 5`. */
function numbersListed(values: readonly number[]): string {
  if (isRun(values) && values.length > 2) return `${values[0]} to ${values.at(-1)}`;
  return listed(values.map(String));
}

function listed(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function monthName(month: number): string {
  return MONTHS[month - 1]!;
}

const TIMES_MAX = 6;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
