import type { StatementSync } from "node:sqlite";

import type { Message } from "../../../core/model/message/message.ts";
import type { RunEntry } from "../../../core/model/workflow/run-entry.ts";
import type { RunFilter } from "../../../core/model/workflow/run-filter.ts";
import type { RunKey, RunState } from "../../../core/model/workflow/run.ts";
import type { Waiter, WaiterKey } from "../../../core/model/workflow/waiter.ts";
import { matchesRun } from "../../../core/views/matches-run.ts";
import type { RunRef } from "../../../core/acts/run.ts";
import { PageBuilder } from "../../reads/page.ts";
import type { Slice, SliceRequest, StoredRun } from "../../reader.ts";
import { toListedEntry, toRunEntry, toRunState, toWaiter } from "../../records/run-records.ts";
import { sentBody } from "../../records/sent-body.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import { keyOf } from "../tables/runs.ts";

export class ReadRuns {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  run({ accountId, runId, createdAt }: RunRef): StoredRun | null {
    const row =
      createdAt === undefined
        ? this.#sql.latest.get(accountId, runId)
        : this.#sql.run.get(accountId, runId, createdAt);
    if (row === undefined) return null;
    return { state: toRunState(row), response: row["response"] as Uint8Array | null };
  }

  runEntries(key: RunKey, after = -1, bytesMax = Infinity): RunEntry[] {
    const entries: RunEntry[] = [];
    let bytes = 0;
    for (const row of this.#sql.entries.iterate(...keyOf(key), after)) {
      const entry = toRunEntry(row);
      bytes += entry.body.byteLength;
      if (entries.length > 0 && bytes > bytesMax) break;
      entries.push(entry);
    }
    return entries;
  }

  hasRunStep(key: RunKey, stepKey: string): boolean {
    return this.#sql.step.get(...keyOf(key), stepKey) !== undefined;
  }

  /** The body of a message to the endpoint of a run: the run's entries up to its own. */
  sent(message: Message, body: Uint8Array): Uint8Array {
    return sentBody(message, body, (key, ordinal) =>
      this.#sql.sent.all(...keyOf(key), ordinal).map(toListedEntry),
    );
  }

  activeRuns(accountId: string, filter: RunFilter, page: SliceRequest): Slice<RunState> {
    const builder = new PageBuilder<RunState>(page);
    for (const row of this.#sql.active.iterate(accountId, page.after ?? "")) {
      const state = toRunState(row);
      const offered = builder.offer(state.runId, () =>
        matchesRun(filter, state.run)
          ? { bytes: (row["facts"] as string).length, read: () => state }
          : null,
      );
      if (!offered) break;
    }
    return builder.finish();
  }

  waiters(accountId: string, eventId: string, after: WaiterKey | null, count: number): Waiter[] {
    const { runId = "", createdAt = 0, stepId = 0 } = after ?? {};
    return this.#sql.waiters.all(accountId, eventId, runId, createdAt, stepId, count).map(toWaiter);
  }

  dueWaiters(now: number, count: number): Waiter[] {
    return this.#sql.dueWaiters.all(now, count).map(toWaiter);
  }

  nextDeadlineAt(): number | null {
    return (this.#sql.nextDeadline.get()?.["deadline_at"] as number | undefined) ?? null;
  }
}

const SQL = {
  run: `SELECT runs.*, facts, response
    FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id = ? AND created_at = ?`,
  latest: `SELECT runs.*, facts, response
    FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id = ? ORDER BY created_at DESC LIMIT 1`,
  entries: `SELECT * FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND ordinal > ? ORDER BY ordinal`,
  step: `SELECT 1 FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND step_key = ?`,
  sent: `SELECT kind, message_id, body FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND ordinal <= ? ORDER BY ordinal`,
  // runs_active
  active: `SELECT runs.*, facts
    FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id > ? AND phase = 0 ORDER BY run_id`,
  waiters: `SELECT record FROM waiters
    WHERE account_id = ? AND event_id = ? AND (run_id, created_at, step_id) > (?, ?, ?)
    ORDER BY run_id, created_at, step_id LIMIT ?`,
  // waiters_due
  dueWaiters: "SELECT record FROM waiters WHERE deadline_at <= ? ORDER BY deadline_at LIMIT ?",
  nextDeadline: "SELECT deadline_at FROM waiters ORDER BY deadline_at LIMIT 1",
} as const;
