import type { Instant } from "../../core/model/time.ts";
import type { Schedule, ScheduleKey } from "../../core/model/schedule/schedule.ts";

export interface ScheduleReader {
  get(key: ScheduleKey): Promise<StoredSchedule | null>;
  /** An account's schedules by id, after the given one; at least one. */
  list(
    accountId: string,
    after: string,
    count: number,
    bytesMax: number,
  ): Promise<readonly StoredSchedule[]>;
  /** Due schedules of all accounts, the longest due first; at least one. */
  due(
    now: Instant,
    after: ScheduleCursor,
    count: number,
    bytesMax: number,
  ): Promise<readonly StoredSchedule[]>;
  /** Schedules of all accounts that are due after the cursor, soonest first, without bodies. */
  later(after: ScheduleCursor, count: number): Promise<readonly Schedule[]>;
}

export interface StoredSchedule {
  readonly schedule: Schedule;
  readonly body: Uint8Array;
}

/** A cursor into the schedules, in the order in which they are due. */
export interface ScheduleCursor extends ScheduleKey {
  readonly nextAt: Instant;
}

export const BEFORE_FIRST_SCHEDULE: ScheduleCursor = { nextAt: 0, accountId: "", scheduleId: "" };
