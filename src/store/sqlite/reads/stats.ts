import type { StatementSync } from "node:sqlite";

import type { BacklogPoint } from "../../../core/model/account/backlog.ts";
import {
  type HostStats,
  STAT_STEPS_MS,
  type StatPoint,
} from "../../../core/model/account/stats.ts";
import { BACKLOG_COLUMNS, toBacklogPoint } from "../../records/backlog-table.ts";
import { STAT_COLUMNS, STAT_SUMS, toStatPoint, toStats } from "../../records/stats-table.ts";
import type { StatRange } from "../../reader/stats.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class StatReads implements InThread<"stats"> {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  series(accountId: string, { step, fromAt, toAt, host = "" }: StatRange): StatPoint[] {
    const rows = this.#sql.series.all(accountId, STAT_STEPS_MS[step], fromAt, toAt, host);
    return rows.map(toStatPoint);
  }

  hosts(accountId: string, fromAt: number, count: number): HostStats[] {
    const rows = this.#sql.hosts.all(accountId, STAT_STEPS_MS.hour, fromAt, count);
    return rows.map((row) => ({ host: row["host"] as string, ...toStats(row) }));
  }

  backlog(accountId: string, { step, fromAt, toAt }: StatRange): BacklogPoint[] {
    return this.#sql.backlog.all(accountId, STAT_STEPS_MS[step], fromAt, toAt).map(toBacklogPoint);
  }
}

const SQL = {
  series: `SELECT start_at, ${STAT_COLUMNS.join(", ")} FROM stats
    WHERE account_id = ? AND step_ms = ? AND start_at >= ? AND start_at < ? AND host = ?
    ORDER BY start_at`,
  hosts: `SELECT host, ${STAT_SUMS} FROM stats
    WHERE account_id = ? AND step_ms = ? AND start_at >= ? AND host > ''
    GROUP BY host ORDER BY sum(attempts) DESC, host LIMIT ?`,
  backlog: `SELECT start_at, ${BACKLOG_COLUMNS.join(", ")} FROM backlog
    WHERE account_id = ? AND step_ms = ? AND start_at >= ? AND start_at < ? ORDER BY start_at`,
} as const;
