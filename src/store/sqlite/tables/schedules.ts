import type { StatementSync } from "node:sqlite";

import type { Instant } from "../../../core/model/message/message.ts";
import type { Schedule, ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import type { ScheduleCursor, StoredSchedule } from "../../reader.ts";
import { scheduleKey } from "../../group/row-keys.ts";
import { encodeSchedule } from "../../records/schedule-record.ts";
import { type Row, toSchedule, toStoredSchedule } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Schedules, each with the body of its messages. */
export class Schedules {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  /** Without the body. */
  find({ accountId, scheduleId }: ScheduleKey): Schedule | null {
    const row = this.#sql.find.get(accountId, scheduleId);
    return row ? toSchedule(row) : null;
  }

  read({ accountId, scheduleId }: ScheduleKey): StoredSchedule | null {
    const row = this.#sql.read.get(accountId, scheduleId);
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

  /** When the first schedule is due; null when none ever will be. */
  nextAt(): Instant | null {
    return (this.#sql.nextAt.get()?.["next_at"] ?? null) as Instant | null;
  }

  count(accountId: string): number {
    return this.#sql.count.get(accountId)?.["count"] as number;
  }

  write({ schedules, scheduleBodies }: WorkingSet): void {
    for (const schedule of schedules.put.values()) {
      const { accountId, scheduleId, nextAt } = schedule;
      const { settings, state } = encodeSchedule(schedule);
      this.#sql.put.run(accountId, scheduleId, nextAt, state);
      const body = scheduleBodies.get(scheduleKey(schedule));
      if (body !== undefined) this.#sql.putSettings.run(accountId, scheduleId, settings, body);
    }
    for (const { accountId, scheduleId } of schedules.removed.values()) {
      this.#sql.remove.run(accountId, scheduleId);
      this.#sql.removeSettings.run(accountId, scheduleId);
    }
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
  find: `SELECT settings, state, next_at FROM ${BOTH} WHERE account_id = ? AND schedule_id = ?`,
  read: `SELECT settings, state, next_at, body FROM ${BOTH}
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
  count: "SELECT count(*) AS count FROM schedules WHERE account_id = ?",
  put: `INSERT INTO schedules (account_id, schedule_id, next_at, state) VALUES (?, ?, ?, ?)
    ON CONFLICT (account_id, schedule_id) DO UPDATE SET next_at = excluded.next_at,
      state = excluded.state`,
  putSettings: `INSERT INTO schedule_settings (account_id, schedule_id, settings, body)
    VALUES (?, ?, ?, ?)
    ON CONFLICT (account_id, schedule_id) DO UPDATE SET settings = excluded.settings,
      body = excluded.body`,
  remove: "DELETE FROM schedules WHERE account_id = ? AND schedule_id = ?",
  removeSettings: "DELETE FROM schedule_settings WHERE account_id = ? AND schedule_id = ?",
} as const;
