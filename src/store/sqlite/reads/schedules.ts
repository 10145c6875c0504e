import type { StatementSync } from "node:sqlite";

import type { Instant } from "../../../core/model/time.ts";
import type { Schedule, ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import type { ScheduleCursor, StoredSchedule } from "../../reader/schedules.ts";
import { type Row, toSchedule, toStoredSchedule } from "../../records/rows.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class ScheduleReads implements InThread<"schedules"> {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  get({ accountId, scheduleId }: ScheduleKey): StoredSchedule | null {
    const row = this.#sql.get.get(accountId, scheduleId);
    return row ? toStoredSchedule(row) : null;
  }

  list(accountId: string, after: string, count: number, bytesMax: number): StoredSchedule[] {
    return withinBytes(this.#sql.list.iterate(accountId, after, count), bytesMax);
  }

  due(now: Instant, after: ScheduleCursor, count: number, bytesMax: number): StoredSchedule[] {
    const { nextAt, accountId, scheduleId } = after;
    const rows = this.#sql.due.iterate(now, nextAt, accountId, scheduleId, count);
    return withinBytes(rows, bytesMax);
  }

  later({ nextAt, accountId, scheduleId }: ScheduleCursor, count: number): Schedule[] {
    return this.#sql.later.all(nextAt, accountId, scheduleId, count).map(toSchedule);
  }

  nextAt(): Instant | null {
    return (this.#sql.nextAt.get()?.["next_at"] ?? null) as Instant | null;
  }
}

/** As many as fit the limit for bodies, and at least one. */
function withinBytes(rows: Iterable<Row>, bytesMax: number): StoredSchedule[] {
  const taken: StoredSchedule[] = [];
  let bytes = 0;
  for (const row of rows) {
    const stored = toStoredSchedule(row);
    bytes += stored.body.byteLength;
    if (taken.length > 0 && bytes > bytesMax) break;
    taken.push(stored);
  }
  return taken;
}

const BOTH = "schedules NATURAL JOIN schedule_settings";

const SQL = {
  get: `SELECT settings, state, next_at, body FROM ${BOTH}
    WHERE account_id = ? AND schedule_id = ?`,
  list: `SELECT settings, state, next_at, body FROM ${BOTH}
    WHERE account_id = ? AND schedule_id > ? ORDER BY schedule_id LIMIT ?`,
  // schedules_due
  due: `SELECT settings, state, next_at, body FROM ${BOTH}
    WHERE next_at IS NOT NULL AND next_at <= ? AND (next_at, account_id, schedule_id) > (?, ?, ?)
    ORDER BY next_at, account_id, schedule_id LIMIT ?`,
  later: `SELECT settings, state, next_at FROM ${BOTH}
    WHERE next_at IS NOT NULL AND (next_at, account_id, schedule_id) > (?, ?, ?)
    ORDER BY next_at, account_id, schedule_id LIMIT ?`,
  nextAt: "SELECT min(next_at) AS next_at FROM schedules WHERE next_at IS NOT NULL",
} as const;
