import type { Answer } from "../../model/message/attempt.ts";
import { withEitherPrefix } from "../../model/message/dialect.ts";
import type { HeaderList } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import { RETRY_DELAY_MS_MAX } from "./retry-delay.ts";

/** The response headers that may set the time of the next attempt; the first usable one decides. */
const STEERING_HEADERS = [
  "retry-after",
  "x-ratelimit-reset",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
] as const;

const NON_RETRYABLE_STATUS = 489;
const NON_RETRYABLE_HEADERS = withEitherPrefix("nonretryable-error");
const CHARACTERS_MAX = 64;

/** The wait that the destination asks for; null when it asks for none that is honored. */
export function retryAfterMs(headers: HeaderList, now: Instant): number | null {
  for (const steering of STEERING_HEADERS) {
    for (const [name, value] of headers) {
      if (name.length !== steering.length || name.toLowerCase() !== steering) continue;
      const delayMs = readDelayMs(value.trim(), now);
      if (delayMs !== null && delayMs <= RETRY_DELAY_MS_MAX) return delayMs;
    }
  }
  return null;
}

/** Whether the destination says that another attempt cannot help. Either dialect may say it. */
export function isNotRetryable({ status, headers }: Pick<Answer, "status" | "headers">): boolean {
  if (status !== NON_RETRYABLE_STATUS) return false;
  return headers.some(
    ([name, value]) =>
      NON_RETRYABLE_HEADERS.includes(name.toLowerCase()) && value.trim().toLowerCase() === "true",
  );
}

function readDelayMs(text: string, now: Instant): number | null {
  if (text.length === 0 || text.length > CHARACTERS_MAX) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1_000;
  const date = readDate(text);
  if (date !== null) return Math.max(0, date - now);
  return readGoDurationMs(text);
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const DATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:GMT|UTC)$/;

function readDate(text: string): Instant | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  const [, day, monthName, year, hour, minute, second] = match;
  const monthAt = MONTHS.indexOf(monthName!);
  if (monthAt < 0 || monthAt % 3 !== 0) return null;
  if (Number(day) < 1 || Number(day) > 31 || Number(hour) > 23) return null;
  if (Number(minute) > 59 || Number(second) > 60) return null;
  return Date.UTC(
    Number(year),
    monthAt / 3,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
}

/** The last two are how a micro sign looks when its UTF-8 bytes are read as Latin-1. */
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["μs", 1e-3],
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["Âµs", 1e-3],
  ["Î¼s", 1e-3],
]);

function readGoDurationMs(text: string): number | null {
  const part = /(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})([^\d.]{1,3})/y;
  let totalMs = 0;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return null;
    const unitMs = UNIT_MS.get(match[2]!);
    if (unitMs === undefined) return null;
    totalMs += Number(match[1]) * unitMs;
  }
  return Math.ceil(totalMs);
}
