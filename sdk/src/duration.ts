import { PostriderError } from "./errors.ts";

/** Seconds, or a text such as `30s` or `1d12h`. */
export type Duration = number | string;

/** A duration for the service: whole seconds, or the text unchanged. */
export function durationText(duration: Duration): string;
export function durationText(duration: Duration | undefined): string | undefined;
export function durationText(duration: Duration | undefined): string | undefined {
  return typeof duration === "number" ? `${Math.round(duration)}s` : duration;
}

/** For waiting on the client's side. */
export function millisecondsOf(duration: Duration): number {
  if (typeof duration === "number" && duration >= 0) return duration * 1_000;
  const text = String(duration);
  if (!DURATION.test(text)) {
    throw new PostriderError(`${JSON.stringify(duration)} is no duration, such as 90 or "1d12h"`);
  }
  const parts = text.matchAll(PART);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit!]!, 0);
}

const PART = /(\d+)([dhms])/g;
const DURATION = /^(?=.)(\d+d)?(\d+h)?(\d+m)?(\d+s)?$/;
const UNITS_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
};
