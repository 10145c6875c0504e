import { Problem } from "../../problem.ts";

/** Longer durations must be mistakes, and sums with instants stay exact below it. */
export const DURATION_MS_MAX = 100 * 365 * 86_400_000;

const CHARACTERS_MAX = 32;
const UNITS = [
  { letter: "d", ms: 86_400_000 },
  { letter: "h", ms: 3_600_000 },
  { letter: "m", ms: 60_000 },
  { letter: "s", ms: 1_000 },
] as const;

/**
 * Reads `1d10h30m5s` into milliseconds: each unit at most once, from large to small. A bare number
 * is seconds. Throws a Problem without the field's name, which the caller adds.
 */
export function parseDuration(text: string): number {
  if (text.length === 0) throw refusal("is empty; expected a duration such as 30s or 1h30m");
  if (text.length > CHARACTERS_MAX) {
    throw refusal(`is longer than ${CHARACTERS_MAX} characters`);
  }
  let totalMs = 0;
  let value = -1;
  let unitIndex = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit >= 0 && digit <= 9) {
      value = Math.max(value, 0) * 10 + digit;
      continue;
    }
    const found = UNITS.findIndex((unit) => unit.letter === text[index]);
    const unit = UNITS[found];
    if (value < 0 || unit === undefined || found < unitIndex) throw malformed();
    totalMs += value * unit.ms;
    value = -1;
    unitIndex = found + 1;
  }
  if (value >= 0) {
    if (unitIndex > 0) throw malformed();
    totalMs = value * 1_000;
  }
  if (totalMs > DURATION_MS_MAX) throw refusal("is longer than 100 years");
  return totalMs;
}

/** The same, or milliseconds as `300ms`. */
export function parseShortDuration(text: string): number {
  const inMs = /^(\d{1,9})ms$/.exec(text);
  return inMs ? Number(inMs[1]) : parseDuration(text);
}

function malformed(): Problem {
  return refusal(
    "is not a duration; expected numbers with the units d, h, m and s, each at most once and in that order",
  );
}

function refusal(reason: string): Problem {
  return new Problem("invalid-request", reason);
}

/** `1.5s` in milliseconds, as workflow clients write fractions; null for any other text. */
export function parseFraction(text: string): number | null {
  const match = FRACTION.exec(text);
  return match === null ? null : Math.round(Number(match[1]) * UNIT_MS[match[2] ?? "s"]!);
}

const FRACTION = /^(\d{1,9}\.\d{1,9})([smhd])?$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
