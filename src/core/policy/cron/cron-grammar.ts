import { Problem } from "../../problem.ts";
import { parseDuration } from "../retry/duration.ts";

/** A parsed cron expression, not yet applied to an instant. */
export type CronExpression = CalendarEntry | EveryEntry;

/** The minutes of the wall clock that an expression names. */
export interface CalendarEntry {
  readonly kind: "calendar";
  /** An IANA name as given, or UTC. */
  readonly zone: string;
  /** The values of each field, in ascending order. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /** A day field that is a star leaves the choice to the other; otherwise either one suffices. */
  readonly isAnyDay: boolean;
  readonly isAnyWeekday: boolean;
}

/** The instants that are whole multiples of a period since 1970, so that all nodes agree on them. */
export interface EveryEntry {
  readonly kind: "every";
  readonly periodMs: number;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The largest value that may be written, where it differs: 7 is Sunday too. */
  readonly written?: number;
  /** The names of its values, beginning with the least. */
  readonly names?: readonly string[];
}

const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of month", least: 1, most: 31 },
  {
    name: "month",
    least: 1,
    most: 12,
    names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" "),
  },
  {
    name: "day of week",
    least: 0,
    most: 6,
    written: 7,
    names: "sun mon tue wed thu fri sat".split(" "),
  },
];

const WORDS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** The last day of the months that have no 31st. */
const SHORT_MONTHS = new Map([
  [2, 29],
  [4, 30],
  [6, 30],
  [9, 30],
  [11, 30],
]);
const CHARACTERS_MAX = 512;
const MINUTE_MS = 60_000;
const PERIOD_MS_MAX = 366 * 86_400_000;
const ZONE_PREFIX = /^CRON_TZ=(\S*)\s*/;
const RANGE = /^(\*|\?|[a-z]+|\d{1,3})(?:-([a-z]+|\d{1,3}))?(?:\/(\d{1,5}))?$/;

/** Refuses what is outside docs/guides/schedules.md; the caller adds the field's name. */
export function parseCron(text: string): CronExpression {
  if (text.length > CHARACTERS_MAX) throw refusal(`is longer than ${CHARACTERS_MAX} characters`);
  const zone = ZONE_PREFIX.exec(text);
  const rest = text.slice(zone?.[0].length ?? 0).trim();
  if (rest === "") throw refusal("is empty; expected five fields such as */5 * * * *");
  if (/^@every\b/i.test(rest)) return parseEvery(rest, zone !== null);
  return parseCalendar(rest, zone?.[1] ?? "UTC");
}

function parseEvery(text: string, hasZone: boolean): EveryEntry {
  if (hasZone) throw refusal("@every takes no time zone");
  const periodMs = parseDuration(text.slice("@every".length).trim());
  if (periodMs < MINUTE_MS) throw refusal("@every must be at least a minute");
  if (periodMs % MINUTE_MS !== 0) throw refusal("@every must be whole minutes");
  if (periodMs > PERIOD_MS_MAX) throw refusal("@every must be at most 366 days");
  return { kind: "every", periodMs };
}

function parseCalendar(text: string, zone: string): CalendarEntry {
  const fields = (text.startsWith("@") ? wordMeaning(text) : text).toLowerCase().split(/\s+/);
  if (fields[0]!.includes("=")) {
    throw refusal(`${shown(fields[0]!)} is no field; a time zone is given as CRON_TZ=<name>`);
  }
  if (fields.length !== FIELDS.length) throw wrongCount(fields.length);
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, index) =>
    parseField(fields[index]!, field),
  ) as [number[], number[], number[], number[], number[]];
  const entry: CalendarEntry = {
    kind: "calendar",
    zone,
    minutes,
    hours,
    days,
    months,
    weekdays,
    isAnyDay: isAny(fields[2]!),
    isAnyWeekday: isAny(fields[4]!),
  };
  if (neverComes(entry)) throw refusal("never fires: no such day exists in the months given");
  return entry;
}

function wordMeaning(word: string): string {
  const meaning = WORDS.get(word.toLowerCase());
  if (meaning !== undefined) return meaning;
  const known = [...WORDS.keys()].join(", ");
  throw refusal(`${shown(word)} is unknown; expected five fields, @every or one of ${known}`);
}

function parseField(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    for (const value of parseRange(item, field)) values.add(value);
  }
  return [...values].toSorted((left, right) => left - right);
}

/** `*`, `a`, `a-b`, each with an optional `/step`; `a/step` continues to the end of the field. */
function parseRange(item: string, field: Field): number[] {
  const parts = RANGE.exec(item);
  if (parts === null) throw malformed(item, field);
  const [, , last, stepText] = parts;
  const first = parts[1]!;
  const isStar = first === "*" || first === "?";
  if (isStar && last !== undefined) throw malformed(item, field);
  const from = isStar ? field.least : parseValue(first, field);
  const step = stepText === undefined ? 1 : parseStep(stepText, field);
  const isOpen = isStar || (last === undefined && stepText !== undefined);
  const until = isOpen ? field.most : last === undefined ? from : parseValue(last, field);
  if (until < from) {
    throw refusal(`${field.name}: the range ${shown(item)} ends before it begins`);
  }
  const values: number[] = [];
  for (let value = from; value <= until; value += step) values.push(wrapped(value, field));
  return values;
}

function parseValue(text: string, field: Field): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return named + field.least;
  const value = /^\d/.test(text) ? Number(text) : -1;
  const most = field.written ?? field.most;
  if (value >= field.least && value <= most) return value;
  if (value < 0) throw malformed(text, field);
  throw refusal(`${field.name}: ${text} is not between ${field.least} and ${most}`);
}

function parseStep(text: string, field: Field): number {
  const step = Number(text);
  const count = field.most - field.least + 1;
  if (step >= 1 && step <= count) return step;
  throw refusal(`${field.name}: the step ${step} is not between 1 and ${count}`);
}

function wrapped(value: number, field: Field): number {
  return value > field.most ? field.least : value;
}

/** Whether a day field restricts nothing. */
function isAny(text: string): boolean {
  return text.split(",").some((item) => /^[*?](?:\/1)?$/.test(item));
}

function neverComes({ days, months, isAnyDay, isAnyWeekday }: CalendarEntry): boolean {
  if (isAnyDay || !isAnyWeekday) return false;
  return months.every((month) => days[0]! > (SHORT_MONTHS.get(month) ?? Infinity));
}

function wrongCount(count: number): Problem {
  return refusal(
    count === 6
      ? "has 6 fields; seconds and years are not supported, expected minute, hour, day of month, month, day of week"
      : `has ${count} fields; expected minute, hour, day of month, month, day of week`,
  );
}

function malformed(item: string, field: Field): Problem {
  return /^[\dlw#-]*[lw#]/.test(item)
    ? refusal(`${field.name}: ${shown(item)}: L, W and # are not supported`)
    : refusal(
        `${field.name}: ${shown(item)} is not a value, range or step such as 5, 1-5, */10 or 1-30/5`,
      );
}

function shown(text: string): string {
  return `"${text.length > 40 ? `${text.slice(0, 40)}...` : text}"`;
}

function refusal(reason: string): Problem {
  return new Problem("invalid-request", reason);
}
