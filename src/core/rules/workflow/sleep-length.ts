import { parseDuration } from "../../policy/retry/duration.ts";
import { parseFraction } from "../../policy/retry/fraction.ts";

/** Milliseconds of seconds or of a text with units; undefined when it cannot be read. */
export function sleepMs(value: unknown): number | undefined {
  if (typeof value === "number") return wholeNumber(value * 1_000);
  if (typeof value !== "string") return undefined;
  try {
    return parseFraction(value) ?? parseDuration(value);
  } catch {
    return undefined;
  }
}

/** Clients in typed languages cannot read a list in which this is a fraction or a text. */
export function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof number !== "number") return undefined;
  const whole = Math.round(number);
  return Number.isSafeInteger(whole) ? whole : undefined;
}
