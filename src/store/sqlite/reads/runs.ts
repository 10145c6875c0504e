import type { StatementSync } from "node:sqlite";

import type { RunRef } from "../../../core/acts/run.ts";
import type { RunEntry } from "../../../core/model/workflow/run-entry.ts";
import type { RunFilter } from "../../../core/model/workflow/run-filter.ts";
import type { RunHistory } from "../../../core/model/workflow/run-history.ts";
import { namedRuns, type RunLogFilter } from "../../../core/model/workflow/run-log-filter.ts";
import type { RunKey, RunState } from "../../../core/model/workflow/run.ts";
import { matchesRun, matchesRunLog } from "../../../core/views/matches-run.ts";
import type { StoredRun } from "../../reader/runs.ts";
import { PageBuilder } from "../../reads/page-builder.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import type { Row } from "../../records/rows.ts";
import {
  invokedRuns,
  listedRunBytes,
  messagesOutsideEntries,
  readRunCursor,
  toInvokedHistory,
  toMessageHistories,
  toRunEntry,
  toRunState,
  writeRunCursor,
} from "../../records/run-records.ts";
import { keyOf } from "../tables/runs.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class RunReads implements InThread<"runs"> {
  readonly #database: Database;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = prepareAll(database, SQL);
  }

  get({ accountId, runId, createdAt }: RunRef): StoredRun | null {
    const row =
      createdAt === undefined
        ? this.#sql.latest.get(accountId, runId)
        : this.#sql.get.get(accountId, runId, createdAt);
    if (row === undefined) return null;
    return { state: toRunState(row), response: row["response"] as Uint8Array | null };
  }

  entries(key: RunKey, after = -1, bytesMax = Infinity): RunEntry[] {
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

  hasStep(key: RunKey, stepKey: string): boolean {
    return this.#sql.step.get(...keyOf(key), stepKey) !== undefined;
  }

  active(accountId: string, filter: RunFilter, page: SliceRequest): Slice<RunState> {
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

  list(accountId: string, filter: RunLogFilter, page: SliceRequest): Slice<StoredRun> {
    const builder = new PageBuilder<StoredRun>(page);
    for (const row of this.#rows(accountId, filter, page)) {
      const state = toRunState(row);
      const offered = builder.offer(writeRunCursor(state), () => {
        if (!matchesRunLog(filter, state)) return null;
        const read = (): StoredRun => {
          const response = this.#sql.response.get(...keyOf(state))?.["response"];
          return { state, response: response as Uint8Array | null };
        };
        return { bytes: listedRunBytes(state, row), read };
      });
      if (!offered) break;
    }
    return builder.finish();
  }

  history(state: RunState, bodyBytesMax: number): RunHistory {
    const entries = this.entries(state);
    const live = this.#sql.live.all(...keyOf(state)).map((row) => row["message_id"] as string);
    const ids = [
      ...entries.map(({ messageId }) => messageId),
      ...messagesOutsideEntries(state),
      ...live,
    ];
    const idsText = JSON.stringify(ids);
    const facts = this.#sql.facts.all(bodyBytesMax, state.accountId, idsText);
    const logs = this.#sql.logs.all(state.accountId, idsText);
    const named = JSON.stringify(invokedRuns(entries));
    const invoked = this.#sql.invoked.all(bodyBytesMax, named, state.accountId);
    return {
      entries,
      messages: toMessageHistories(facts, logs),
      invoked: invoked.map(toInvokedHistory),
    };
  }

  /** By runs_made, or by the primary key when runs are named. */
  #rows(accountId: string, filter: RunLogFilter, { after, order }: SliceRequest): Iterable<Row> {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    const conditions = ["account_id = ?"];
    const values: (string | number)[] = [accountId];
    const named = namedRuns(filter);
    if (named !== undefined) {
      conditions.push("run_id IN (SELECT value FROM json_each(?))");
      values.push(JSON.stringify(named));
    }
    if (after !== null) {
      const { createdAt, runId } = readRunCursor(after);
      conditions.push(`(created_at, run_id) ${compare} (?, ?)`);
      values.push(createdAt, runId);
    }
    if (filter.fromAt !== undefined) {
      conditions.push("created_at >= ?");
      values.push(filter.fromAt);
    }
    if (filter.toAt !== undefined) {
      conditions.push("created_at <= ?");
      values.push(filter.toAt);
    }
    // `+created_at` makes the order of the index useless, so that SQLite does not search all runs
    // for a few.
    const by = named === undefined ? "created_at" : "+created_at";
    return this.#database
      .prepare(
        `SELECT runs.*, facts, length(response) AS response_bytes
         FROM runs JOIN run_facts USING (account_id, run_id, created_at)
         WHERE ${conditions.join(" AND ")} ORDER BY ${by} ${direction}, run_id ${direction}`,
      )
      .iterate(...values);
  }
}

const SQL = {
  get: `SELECT runs.*, facts, response
    FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id = ? AND created_at = ?`,
  latest: `SELECT runs.*, facts, response
    FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id = ? ORDER BY created_at DESC LIMIT 1`,
  entries: `SELECT * FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND ordinal > ? ORDER BY ordinal`,
  step: `SELECT 1 FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND step_key = ?`,
  // runs_active
  active: `SELECT runs.*, facts
    FROM runs JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = ? AND run_id > ? AND phase = 0 ORDER BY run_id`,
  response: `SELECT response FROM run_facts
    WHERE account_id = ? AND run_id = ? AND created_at = ?`,
  // messages_run
  live: `SELECT message_id FROM messages
    WHERE account_id = ? AND run_id = ? AND run_created_at = ?`,
  facts: `SELECT message_id, facts, substr(body, 1, ?) AS body FROM facts
    WHERE account_id = ? AND message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id`,
  // log_entries_message
  logs: `SELECT * FROM log_entries
    WHERE account_id = ? AND message_id IN (SELECT value FROM json_each(?))
    ORDER BY +number`,
  invoked: `SELECT f.facts, substr(e.body, 1, ?) AS payload
    FROM json_each(?) AS named
    JOIN run_facts AS f ON f.account_id = ?
      AND f.run_id = named.value ->> 'runId' AND f.created_at = named.value ->> 'createdAt'
    JOIN run_entries AS e ON e.account_id = f.account_id AND e.run_id = f.run_id
      AND e.created_at = f.created_at AND e.ordinal = 0`,
} as const;
