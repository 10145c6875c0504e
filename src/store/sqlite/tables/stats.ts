import type { StatementSync } from "node:sqlite";

import type { BacklogRow } from "../../../core/model/account/backlog.ts";
import { BACKLOG } from "../../records/backlog-table.ts";
import { type StatRow, STATS } from "../../records/stats-table.ts";
import { statAges } from "../../group/stat-ages.ts";
import { putInto, sumInto, type WriteRows } from "../group/table-statements.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** The rows of stats and of the backlog. */
export class StatRows {
  readonly add: WriteRows<StatRow>;
  readonly putBacklog: WriteRows<BacklogRow>;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.add = sumInto(database, STATS);
    this.putBacklog = putInto(database, BACKLOG);
    this.#sql = prepareAll(database, SQL);
  }

  /** Removes what is older than its retention, at most so many rows of each kind. */
  remove(now: number, pageMax: number): number {
    const removed = statAges(now).flatMap(({ stepMs, isOfHost, before }) => [
      this.#sql.stats.run(stepMs, before, Number(isOfHost), pageMax).changes,
      isOfHost ? 0 : this.#sql.backlog.run(stepMs, before, pageMax).changes,
    ]);
    return Math.max(...removed.map(Number));
  }
}

const SQL = {
  // stats_age
  stats: `DELETE FROM stats WHERE (account_id, step_ms, start_at, host) IN (
    SELECT account_id, step_ms, start_at, host FROM stats
    WHERE step_ms = ? AND start_at < ? AND (host > '') = ? ORDER BY start_at LIMIT ?)`,
  // backlog_age
  backlog: `DELETE FROM backlog WHERE (account_id, step_ms, start_at) IN (
    SELECT account_id, step_ms, start_at FROM backlog
    WHERE step_ms = ? AND start_at < ? ORDER BY start_at LIMIT ?)`,
} as const;
