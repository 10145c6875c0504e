import type { StatementSync } from "node:sqlite";
import type { RunKey, RunState, RunRef } from "../../../core/model/workflow/run.ts";
import type { RunNeed } from "../../../core/rule.ts";
import { toMessageState } from "../../records/rows.ts";
import { toRunState } from "../../records/run-records.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import { Waits } from "./waits.ts";

/** Loads runs and their entries for the rules. */
export class Runs {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;
  readonly #waits: Waits;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
    this.#waits = new Waits(database);
  }

  load(need: RunNeed, rows: WorkingSet): void {
    const state = this.#find(need.ref, rows);
    if (state === null) return;
    for (const stepKey of need.stepKeys ?? []) this.#loadStep(state, stepKey, rows);
    if (need.payload === true) {
      const row = this.#sql.payload.get(...keyOf(state));
      if (row) rows.runs.loadPayload(state, row["body"] as Uint8Array);
    }
    if (need.messages === true) {
      for (const row of this.#sql.messages.all(...keyOf(state))) {
        rows.loadMessage(toMessageState(row));
      }
    }
    if (need.eventId !== undefined) {
      this.#waits.load(state, need.eventId, need.isHook === true, rows.runs);
    }
  }

  /**
   * A name without a creation time means the latest run, even when the group has loaded an older
   * one.
   */
  #find(ref: RunRef, rows: WorkingSet): RunState | null {
    const { accountId, runId, createdAt } = ref;
    const known = createdAt === undefined ? null : rows.runs.find(ref);
    if (known !== null) return known;
    const row =
      createdAt === undefined
        ? this.#sql.latest.get(accountId, runId)
        : this.#sql.run.get(accountId, runId, createdAt);
    const stored = row === undefined ? null : toRunState(row);
    // A run that the group has loaded may have changed since, so it is not loaded again.
    if (stored !== null && rows.runs.find(stored) === null) rows.runs.load(stored);
    return rows.runs.find(ref);
  }

  #loadStep(key: RunKey, stepKey: string, rows: WorkingSet): void {
    const row = this.#sql.step.get(...keyOf(key), stepKey);
    if (row) rows.runs.loadStep(key, stepKey, row["message_id"] as string);
  }
}

function keyOf({ accountId, runId, createdAt }: RunKey): [string, string, number] {
  return [accountId, runId, createdAt];
}

const SQL = {
  run: `SELECT runs.*, facts FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id = ? AND created_at = ?`,
  latest: `SELECT runs.*, facts FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id = ? ORDER BY created_at DESC LIMIT 1`,
  step: `SELECT message_id FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND step_key = ?`,
  payload: `SELECT body FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND ordinal = 0`,
  // messages_run
  messages: `SELECT * FROM messages
    WHERE account_id = ? AND run_id = ? AND run_created_at = ?`,
} as const;
