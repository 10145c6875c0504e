import type { Schedule } from "../../core/model/schedule/schedule.ts";

/** A schedule as it is kept: what a user has set, and what ticks change, which is written often. */
export interface ScheduleRecord {
  readonly settings: string;
  readonly state: string;
}

export function encodeSchedule(schedule: Schedule): ScheduleRecord {
  const { nextAt: _nextAt, isPaused, lastAt, lastMessageIds, error, skipped, ...set } = schedule;
  const { version } = set;
  return {
    settings: JSON.stringify(set),
    // The version as well, so that what guards a tick is all in the row that it locks first.
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
