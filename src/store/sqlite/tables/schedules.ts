import type { StatementSync } from "node:sqlite";

import type { Schedule, ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import {
  SCHEDULE_SETTINGS,
  SCHEDULES,
  type ScheduleWithBody,
} from "../../records/resource-tables.ts";
import { schedulesWithBodies } from "../../group/schedule-bodies.ts";
import { toSchedule } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { putInto, removeFrom, type WriteRows } from "../group/table-statements.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Schedules, which are loaded without the bodies of their messages: no rule needs them. */
export class Schedules {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;
  readonly #put: WriteRows<Schedule>;
  readonly #putSettings: WriteRows<ScheduleWithBody>;
  readonly #remove: WriteRows<ScheduleKey>;
  readonly #removeSettings: WriteRows<ScheduleKey>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
    this.#put = putInto(database, SCHEDULES);
    this.#putSettings = putInto(database, SCHEDULE_SETTINGS);
    this.#remove = removeFrom(database, SCHEDULES);
    this.#removeSettings = removeFrom(database, SCHEDULE_SETTINGS);
  }

  read({ accountId, scheduleId }: ScheduleKey): Schedule | null {
    const row = this.#sql.read.get(accountId, scheduleId);
    return row ? toSchedule(row) : null;
  }

  count(accountId: string): number {
    return this.#sql.count.get(accountId)?.["count"] as number;
  }

  write(rows: WorkingSet): void {
    const { put, removed } = rows.schedules;
    this.#put(put.values());
    this.#putSettings(schedulesWithBodies(rows));
    this.#remove(removed.values());
    this.#removeSettings(removed.values());
  }
}

const SQL = {
  read: `SELECT settings, state, next_at FROM schedules NATURAL JOIN schedule_settings
    WHERE account_id = ? AND schedule_id = ?`,
  count: "SELECT count(*) AS count FROM schedules WHERE account_id = ?",
} as const;
