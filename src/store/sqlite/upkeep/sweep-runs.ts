import type { StatementSync } from "node:sqlite";

import { RUN_ENTRIES_SWEPT_MAX, type RunsSwept } from "../../sweep-limits.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Removes runs that ended long ago and are not dead letters. */
export class SweepRuns {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  /** Up to a number of entries in total, and at least one run. */
  sweep(accountId: string, endedBefore: number, pageMax: number): RunsSwept {
    const rows = this.#sql.old.all(accountId, endedBefore, pageMax);
    let entries = 0;
    let removed = 0;
    for (const row of rows) {
      entries += row["next_ordinal"] as number;
      if (removed > 0 && entries > RUN_ENTRIES_SWEPT_MAX) break;
      const key = [accountId, row["run_id"] as string, row["created_at"] as number] as const;
      this.#sql.removeEntries.run(...key);
      this.#sql.removeFacts.run(...key);
      this.#sql.remove.run(...key);
      removed += 1;
    }
    return { removed, more: removed < rows.length || rows.length === pageMax };
  }
}

const SQL = {
  // runs_ended, dead_letters_run
  old: `SELECT run_id, created_at, next_ordinal FROM runs r
    WHERE account_id = ? AND ended_at < ? AND ended_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d.account_id = r.account_id
        AND d.run_id = r.run_id AND d.run_created_at = r.created_at)
    ORDER BY ended_at LIMIT ?`,
  remove: "DELETE FROM runs WHERE account_id = ? AND run_id = ? AND created_at = ?",
  removeFacts: "DELETE FROM run_facts WHERE account_id = ? AND run_id = ? AND created_at = ?",
  removeEntries: "DELETE FROM run_entries WHERE account_id = ? AND run_id = ? AND created_at = ?",
} as const;
