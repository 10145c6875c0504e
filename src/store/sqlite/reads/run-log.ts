import type { StatementSync } from "node:sqlite";

import type { RunHistory } from "../../../core/model/workflow/run-history.ts";
import { namedRuns, type RunLogFilter } from "../../../core/model/workflow/run-log-filter.ts";
import type { RunState } from "../../../core/model/workflow/run.ts";
import { matchesRunLog } from "../../../core/views/matches-run.ts";
import { PageBuilder } from "../../reads/page.ts";
import type { PageRequest, Slice, SliceRequest, StoredRun } from "../../reader.ts";
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
import { type Database, prepareAll } from "../thread/connection.ts";
import { keyOf } from "../tables/runs.ts";

/** Runs, ended or not, and what they did. */
export class RunLog {
  readonly #database: Database;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = prepareAll(database, SQL);
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
    const entries = this.#sql.entries.all(...keyOf(state)).map(toRunEntry);
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
  #rows(accountId: string, filter: RunLogFilter, { after, order }: PageRequest): Iterable<Row> {
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
  response: `SELECT response FROM run_facts
    WHERE account_id = ? AND run_id = ? AND created_at = ?`,
  entries: `SELECT * FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? ORDER BY ordinal`,
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
