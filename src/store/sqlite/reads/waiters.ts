import type { StatementSync } from "node:sqlite";

import type { Waiter, WaiterKey } from "../../../core/model/workflow/waiter.ts";
import { toWaiter } from "../../records/run-records.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class WaiterReads implements InThread<"waiters"> {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  forEvent(accountId: string, eventId: string, after: WaiterKey | null, count: number): Waiter[] {
    const { runId = "", createdAt = 0, stepId = 0 } = after ?? {};
    const values = [accountId, eventId, runId, createdAt, stepId, count] as const;
    return this.#sql.forEvent.all(...values).map(toWaiter);
  }

  due(now: number, count: number): Waiter[] {
    return this.#sql.due.all(now, count).map(toWaiter);
  }

  nextAt(): number | null {
    return (this.#sql.nextAt.get()?.["deadline_at"] as number | undefined) ?? null;
  }
}

const SQL = {
  forEvent: `SELECT record FROM waiters
    WHERE account_id = ? AND event_id = ? AND (run_id, created_at, step_id) > (?, ?, ?)
    ORDER BY run_id, created_at, step_id LIMIT ?`,
  // waiters_due
  due: "SELECT record FROM waiters WHERE deadline_at <= ? ORDER BY deadline_at LIMIT ?",
  nextAt: "SELECT deadline_at FROM waiters ORDER BY deadline_at LIMIT 1",
} as const;
