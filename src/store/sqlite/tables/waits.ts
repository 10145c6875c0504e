import type { StatementSync } from "node:sqlite";

import type { RunKey } from "../../../core/model/workflow/run.ts";
import { EVENTS_OF_RUN, RUN_EVENTS, WAITERS, WAITERS_OF_RUN } from "../../records/run-tables.ts";
import { toStoredEvent, toWaiter } from "../../records/run-records.ts";
import type { RunRows } from "../../group/run-rows.ts";
import { addTo, removeFrom } from "../group/table-statements.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Waiters, and events that came before there was a waiter. */
export class Waits {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;
  readonly #tables: ReturnType<typeof waitTables>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
    this.#tables = waitTables(database);
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
    const tables = this.#tables;
    tables.removeWaiters(runs.waitersRemoved.values());
    tables.addWaiters(runs.waitersAdded.values());
    tables.removeEvents(runs.eventsTaken.values());
    tables.addEvents(runs.eventsStored.values());
    const ended = Array.from(runs.ended.values(), ({ run }) => run);
    tables.removeWaitersOfRuns(ended);
    tables.removeEventsOfRuns(ended.filter(({ storedEvents }) => storedEvents > 0));
  }
}

function waitTables(database: Database) {
  return {
    addWaiters: addTo(database, WAITERS),
    removeWaiters: removeFrom(database, WAITERS),
    addEvents: addTo(database, RUN_EVENTS),
    removeEvents: removeFrom(database, RUN_EVENTS),
    // waiters_run
    removeWaitersOfRuns: removeFrom(database, WAITERS_OF_RUN),
    removeEventsOfRuns: removeFrom(database, EVENTS_OF_RUN),
  };
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
