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

  write(runs: RunRows): void {
    const run = this.#sql;
    for (const key of runs.waitersRemoved.values()) {
      run.removeWaiter.run(key.accountId, key.eventId, key.runId, key.createdAt, key.stepId);
    }
    for (const { dueAt, ...waiter } of runs.waitersAdded.values()) {
      const { accountId, eventId, runId, createdAt, stepId } = waiter;
      const record = JSON.stringify(waiter);
      run.addWaiter.run(accountId, eventId, runId, createdAt, stepId, dueAt, record);
    }
    for (const event of runs.eventsTaken.values()) {
      const { accountId, runId, createdAt, eventId, number } = event;
      run.takeEvent.run(accountId, runId, createdAt, eventId, number);
    }
    for (const event of runs.eventsStored.values()) {
      const { accountId, runId, createdAt, eventId, number, isHook, body } = event;
      run.storeEvent.run(accountId, runId, createdAt, eventId, number, Number(isHook), body);
    }
    for (const { run: ended } of runs.ended.values()) {
      const { accountId, runId, createdAt } = ended;
      run.removeWaiters.run(accountId, runId, createdAt);
      if (ended.storedEvents > 0) run.removeEvents.run(accountId, runId, createdAt);
    }
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
  addWaiter: `INSERT INTO waiters (account_id, event_id, run_id, created_at, step_id, deadline_at,
      record)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  removeWaiter: `DELETE FROM waiters
    WHERE account_id = ? AND event_id = ? AND run_id = ? AND created_at = ? AND step_id = ?`,
  // waiters_run
  removeWaiters: "DELETE FROM waiters WHERE account_id = ? AND run_id = ? AND created_at = ?",
  storeEvent: `INSERT INTO run_events (account_id, run_id, created_at, event_id, number, is_hook,
      body)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  takeEvent: `DELETE FROM run_events
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND event_id = ? AND number = ?`,
  removeEvents: "DELETE FROM run_events WHERE account_id = ? AND run_id = ? AND created_at = ?",
} as const;
