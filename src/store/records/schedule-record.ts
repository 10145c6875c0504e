import { flat, nested } from "../../core/model/message/settings.ts";
import type { Schedule } from "../../core/model/schedule/schedule.ts";
import type { Row } from "./rows.ts";

/** A schedule as stored: what a user has set, and apart from it what every tick changes. */
export interface ScheduleRecord {
  readonly settings: string;
  readonly state: string;
}

export function encodeSchedule(schedule: Schedule): ScheduleRecord {
  const { nextAt: _nextAt, isPaused, lastAt, lastMessageIds, error, skipped, ...set } = schedule;
  const { version } = set;
  return {
    settings: JSON.stringify({ ...set, options: flat(set.options) }),
    // The version is here too, so that a tick reads all that guards it from the row it locks first.
    state: JSON.stringify({ version, isPaused, lastAt, lastMessageIds, error, skipped }),
  };
}

export function toSchedule(row: Row): Schedule {
  const set = JSON.parse(row["settings"] as string) as Schedule;
  return {
    ...set,
    options: nested(set.options),
    ...(JSON.parse(row["state"] as string) as Partial<Schedule>),
    nextAt: row["next_at"] as number | null,
  };
}
