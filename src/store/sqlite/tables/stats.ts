import type { StatementSync } from "node:sqlite";

import { type StatRow, STATS } from "../../records/stats-table.ts";
import { statAges } from "../../group/stat-ages.ts";
import { sumInto, type WriteRows } from "../group/table-statements.ts";
import type { Database } from "../thread/connection.ts";

/** The rows of stats. */
export class StatRows {
  readonly add: WriteRows<StatRow>;
  readonly #remove: StatementSync;

  constructor(database: Database) {
    this.add = sumInto(database, STATS);
    this.#remove = database.prepare(SQL);
  }

  /** Removes what is older than its retention, at most so many rows of each kind. */
  remove(now: number, pageMax: number): number {
    const removed = statAges(now).map(({ stepMs, isOfHost, before }) =>
      Number(this.#remove.run(stepMs, before, Number(isOfHost), pageMax).changes),
    );
    return Math.max(...removed);
  }
}

// stats_age
const SQL = `DELETE FROM stats WHERE (account_id, step_ms, start_at, host) IN (
  SELECT account_id, step_ms, start_at, host FROM stats
  WHERE step_ms = ? AND start_at < ? AND (host > '') = ? ORDER BY start_at LIMIT ?)`;
