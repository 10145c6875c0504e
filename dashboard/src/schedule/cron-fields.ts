/** The values that each field of a cron expression names, as the server reads them. A test holds the two together. */
export interface CronFields {
  readonly kind: "calendar";
  /** Each in ascending order. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /** A day field that is a star leaves the choice to the other one; otherwise either one suffices. */
  readonly isAnyDay: boolean;
  readonly isAnyWeekday: boolean;
}

interface EveryPeriod {
  readonly kind: "every";
  readonly periodMs: number;
}

/** Null for what it cannot read; whether the server takes an expression, only the server says. */
export function readCronFields(cron: string): CronFields | EveryPeriod | null {
  const text = cron
    .replace(/^CRON_TZ=\S*\s*/, "")
    .trim()
    .toLowerCase();
  const period = /^@every\s+(.+)$/.exec(text)?.[1];
  if (period !== undefined) return everyOf(period);
  const parts = (WORDS[text] ?? text).split(/\s+/);
  if (parts.length !== FIELDS.length) return null;
  const lists = FIELDS.map((field, index) => valuesOf(parts[index]!, field));
  if (lists.some((list) => list === null)) return null;
  const [minutes, hours, days, months, weekdays] = lists as number[][];
  return {
    kind: "calendar",
    minutes: minutes!,
    hours: hours!,
    days: days!,
    months: months!,
    weekdays: weekdays!,
    isAnyDay: isAny(parts[2]!),
    isAnyWeekday: isAny(parts[4]!),
  };
}

interface Field {
  readonly least: number;
  readonly most: number;
  /** Beginning with the least. */
  readonly names?: readonly string[];
}

function valuesOf(text: string, field: Field): number[] | null {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const match = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d{1,5}))?$/.exec(item);
    if (match === null) return null;
    const [, first, second, stepText] = match;
    const isStar = first === "*" || first === "?";
    const step = stepText === undefined ? 1 : Number(stepText);
    const from = isStar ? field.least : numberOf(first!, field);
    const to =
      second === undefined
        ? isStar || stepText !== undefined
          ? field.most
          : from
        : numberOf(second, field);
    if (from === null || to === null || from > to || step < 1) return null;
    if (isStar && second !== undefined) return null;
    // In the days of a week 7 is Sunday too.
    for (let value = from; value <= to; value += step)
      values.add(isWeek(field) ? value % 7 : value);
  }
  return [...values].toSorted((one, other) => one - other);
}

function numberOf(text: string, field: Field): number | null {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return named + field.least;
  if (!/^\d{1,3}$/.test(text)) return null;
  const value = Number(text);
  return value < field.least || value > (isWeek(field) ? 7 : field.most) ? null : value;
}

function isWeek({ most }: Field): boolean {
  return most === 6;
}

function isAny(text: string): boolean {
  return text.split(",").some((item) => /^[*?](?:\/1)?$/.test(item));
}

function everyOf(text: string): EveryPeriod | null {
  if (!/^(\d+[dhms])+$/.test(text)) return null;
  const parts = [...text.matchAll(/(\d+)([dhms])/g)];
  const periodMs = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
  return periodMs === 0 ? null : { kind: "every", periodMs };
}

const UNITS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
};
const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { least: 0, most: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];
const WORDS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
