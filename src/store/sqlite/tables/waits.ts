import type { StatementSync } from "node:sqlite";

import type { RunKey } from "../../../core/model/workflow/run.ts";
import { toStoredEvent, toWaiter } from "../../records/run-records.ts";
import type { RunRows } from "../../group/run-rows.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Waiters, and events that came before there was a waiter. */
export class Waits {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  /**
   * The waiters for an event, and the next stored notification that the group has not loaded yet.
   */
  load(
    { accountId, runId, createdAt }: RunKey,
    eventId: string,
    isHook: boolean,
    runs: RunRows,
  ): void {
    for (const row of this.#sql.waiters.all(accountId, eventId, runId, createdAt)) {
      runs.loadWaiter(toWaiter(row), row["result_id"] as string | null);
    }
    const skipped = runs.loadedEvents({ accountId, runId, createdAt }, eventId, isHook);
    const row = this.#sql.event.get(accountId, runId, createdAt, eventId, Number(isHook), skipped);
    if (row) runs.loadEvent(toStoredEvent(row));
  }
}

const SQL = {
  waiters: `SELECT w.record, e.message_id AS result_id FROM waiters w
    LEFT JOIN run_entries e ON e.account_id = w.account_id AND e.run_id = w.run_id
      AND e.created_at = w.created_at AND e.step_key = 'r:' || w.step_id
    WHERE w.account_id = ? AND w.event_id = ? AND w.run_id = ? AND w.created_at = ?`,
  event: `SELECT * FROM run_events
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND event_id = ? AND is_hook = ?
    ORDER BY number LIMIT 1 OFFSET ?`,
} as const;
