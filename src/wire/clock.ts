import { parseDuration } from "../core/policy/retry/duration.ts";
import { invalidRequest, prefixErrors } from "./headers/header-value.ts";
import { bodyReader } from "./json/schema-reader.ts";
import { closedObject, flag, instant, integer, object, refusedAs, text } from "./json/schema.ts";

const CLOCK_MEMBERS = {
  now: instant("What the clock shows."),
  aheadMs: integer("How far it was put forward since `dev` started, in milliseconds.", 172_800_000),
};
export const CLOCK = object("DevClock", CLOCK_MEMBERS);
export const LEAP = object("ClockLeap", {
  ...CLOCK_MEMBERS,
  advancedMs: integer("How far this request has put it forward, in milliseconds.", 172_800_000),
  isSettled: flag("Nothing is left to do until then.", true),
});

export const LEAP_REQUEST = closedObject(
  {},
  {
    advance: refusedAs(
      'must be a duration such as "2d"',
      text("How far to put it forward, such as `2d` or `1h30m`.", "2d"),
    ),
    schedule: refusedAs(
      "must be the id of a schedule",
      text("Put it forward to the next time of this schedule.", "daily-report"),
    ),
  },
);
export const LEAP_BYTES_MAX = 4_096;
const readBody = bodyReader(LEAP_REQUEST, LEAP_BYTES_MAX);

/** How far the clock of dev is to be put forward, or up to which schedule. */
export type LeapRequest = { readonly advanceMs: number } | { readonly scheduleId: string };

export function readLeap(body: Uint8Array): LeapRequest {
  const { advance, schedule } = readBody(body);
  if (advance !== undefined && schedule !== undefined) {
    throw invalidRequest("schedule: cannot be given together with advance");
  }
  if (schedule !== undefined) return { scheduleId: schedule };
  if (advance === undefined) throw invalidRequest("advance: must be given, or schedule");
  return { advanceMs: prefixErrors("advance", () => parseDuration(advance)) };
}
