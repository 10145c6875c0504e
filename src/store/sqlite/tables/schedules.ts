import type { StatementSync } from "node:sqlite";

import type { Schedule, ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import { scheduleKey } from "../../group/row-keys.ts";
import { encodeSchedule } from "../../records/schedule-record.ts";
import { toSchedule } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Schedules, which are loaded without the bodies of their messages: no rule needs them. */
export class Schedules {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  read({ accountId, scheduleId }: ScheduleKey): Schedule | null {
    const row = this.#sql.read.get(accountId, scheduleId);
    return row ? toSchedule(row) : null;
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

const SQL = {
  read: `SELECT settings, state, next_at FROM schedules NATURAL JOIN schedule_settings
    WHERE account_id = ? AND schedule_id = ?`,
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
