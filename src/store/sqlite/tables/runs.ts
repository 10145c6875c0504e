import type { StatementSync } from "node:sqlite";

import type { RunNeed } from "../../../core/rule.ts";
import { LOAD_RUNS_SQL, loadOfRuns } from "../../group/load-runs.ts";
import { toMessageState } from "../../records/rows.ts";
import { toRunState } from "../../records/run-tables.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type RunReading, statementReader } from "../reads/run-reading.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Loads runs and what the rules need of them. */
export class Runs {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;
  readonly #read: RunReading;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
    this.#read = statementReader(database, [LOAD_RUNS_SQL]);
  }

  load(needs: readonly RunNeed[], rows: WorkingSet): void {
    if (needs.length === 0) return;
    for (const { ref } of needs) {
      const row = this.#sql.run.get(ref.accountId, ref.runId, ref.createdAt ?? null);
      if (row) rows.runs.load(toRunState(row));
    }
    this.#read(loadOfRuns(needs, rows.runs));
    for (const need of needs) {
      const run = need.messages === true ? rows.runs.find(need.ref) : null;
      if (run === null) continue;
      const messages = this.#sql.messages.all(run.accountId, run.runId, run.createdAt);
      for (const row of messages) rows.loadMessage(toMessageState(row));
    }
  }
}

const SQL = {
  // A name without a creation time means the latest run.
  run: `SELECT runs.*, facts FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ?1 AND run_id = ?2 AND (created_at = ?3 OR ?3 IS NULL)
    ORDER BY created_at DESC LIMIT 1`,
  // messages_run
  messages: `SELECT * FROM messages
    WHERE account_id = ? AND run_id = ? AND run_created_at = ?`,
} as const;
