import type { Schedule } from "../../core/model/schedule/schedule.ts";

/** A schedule as stored: what a user has set, and apart from it what every tick changes. */
export interface ScheduleRecord {
  readonly settings: string;
  readonly state: string;
}

export function encodeSchedule(schedule: Schedule): ScheduleRecord {
  const { nextAt: _nextAt, isPaused, lastAt, lastMessageIds, error, skipped, ...set } = schedule;
  const { version } = set;
  return {
    settings: JSON.stringify(set),
    // The version is here too, so that a tick reads all that guards it from the row it locks first.
    state: JSON.stringify({ version, isPaused, lastAt, lastMessageIds, error, skipped }),
  };
}

export function decodeSchedule(settings: string, state: string, nextAt: number | null): Schedule {
  return {
    ...(JSON.parse(settings) as Schedule),
    ...(JSON.parse(state) as Partial<Schedule>),
    nextAt,
  };
}
