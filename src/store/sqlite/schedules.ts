import type { StatementSync } from "node:sqlite";

import type { Instant } from "../../core/model/message.ts";
import type { Schedule, ScheduleKey } from "../../core/model/schedule.ts";
import type { SchedulePlace, StoredSchedule } from "../reader.ts";
import { scheduleKey } from "../row-keys.ts";
import { type Row, toSchedule, toStoredSchedule } from "../rows.ts";
import type { WorkingSet } from "../working-set.ts";
import { type Database, prepareAll } from "./connection.ts";

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

  due(now: Instant, count: number, bytesMax: number): StoredSchedule[] {
    return withinBytes(this.#sql.due.iterate(now, count), bytesMax);
  }

  later({ nextAt, accountId, scheduleId }: SchedulePlace, count: number): Schedule[] {
    return this.#sql.later.all(nextAt, accountId, scheduleId, count).map(toSchedule);
  }

  /** When the first one fires; null when none ever will. */
  nextAt(): Instant | null {
    return (this.#sql.nextAt.get()?.["next_at"] ?? null) as Instant | null;
  }

  count(accountId: string): number {
    return this.#sql.count.get(accountId)?.["count"] as number;
  }

  write({ schedules, scheduleBodies }: WorkingSet): void {
    for (const schedule of schedules.put.values()) {
      const { accountId, scheduleId, nextAt } = schedule;
      const record = JSON.stringify(schedule);
      const body = scheduleBodies.get(scheduleKey(schedule));
      if (body === undefined) this.#sql.change.run(nextAt, record, accountId, scheduleId);
      else this.#sql.put.run(accountId, scheduleId, nextAt, record, body);
    }
    for (const { accountId, scheduleId } of schedules.removed.values()) {
      this.#sql.remove.run(accountId, scheduleId);
    }
  }
}

/** As many as their bodies leave room for, and one in any case. */
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

const SQL = {
  find: "SELECT record FROM schedules WHERE account_id = ? AND schedule_id = ?",
  read: "SELECT record, body FROM schedules WHERE account_id = ? AND schedule_id = ?",
  list: `SELECT record, body FROM schedules WHERE account_id = ? AND schedule_id > ?
    ORDER BY schedule_id LIMIT ?`,
  // schedules_due
  due: `SELECT record, body FROM schedules WHERE next_at IS NOT NULL AND next_at <= ?
    ORDER BY next_at, account_id, schedule_id LIMIT ?`,
  later: `SELECT record FROM schedules
    WHERE next_at IS NOT NULL AND (next_at, account_id, schedule_id) > (?, ?, ?)
    ORDER BY next_at, account_id, schedule_id LIMIT ?`,
  nextAt: "SELECT min(next_at) AS next_at FROM schedules WHERE next_at IS NOT NULL",
  count: "SELECT count(*) AS count FROM schedules WHERE account_id = ?",
  put: `INSERT INTO schedules (account_id, schedule_id, next_at, record, body)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (account_id, schedule_id) DO UPDATE SET next_at = excluded.next_at,
      record = excluded.record, body = excluded.body`,
  change: `UPDATE schedules SET next_at = ?, record = ?
    WHERE account_id = ? AND schedule_id = ?`,
  remove: "DELETE FROM schedules WHERE account_id = ? AND schedule_id = ?",
} as const;
