import type { RunRef } from "../../../core/acts/run.ts";
import type { RunEntry } from "../../../core/model/workflow/run-entry.ts";
import type { RunFilter } from "../../../core/model/workflow/run-filter.ts";
import type { RunHistory } from "../../../core/model/workflow/run-history.ts";
import { namedRuns, type RunLogFilter } from "../../../core/model/workflow/run-log-filter.ts";
import type { RunKey, RunState } from "../../../core/model/workflow/run.ts";
import { matchesRun, matchesRunLog } from "../../../core/views/matches-run.ts";
import type { StoredRun } from "../../reader/runs.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
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
import type { Session } from "../driver/conversation.ts";
import { RUN_KEY } from "../../records/run-tables.ts";
import { arraysOf } from "../group/table-statements.ts";

export class RunReads implements NounReader<"runs"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(ref: RunRef): Promise<StoredRun | null> {
    const { accountId, runId, createdAt } = ref;
    const [row] = await this.#session.query(SQL.get, [accountId, runId, createdAt ?? null]);
    if (row === undefined) return null;
    return { state: toRunState(row), response: row["response"] as Uint8Array | null };
  }

  async entries(
    { accountId, runId, createdAt }: RunKey,
    after = -1,
    bytesMax?: number,
  ): Promise<RunEntry[]> {
    const values = [accountId, runId, createdAt, after];
    const rows = await (bytesMax === undefined
      ? this.#session.query(SQL.entries, values)
      : this.#session.query(SQL.entriesWithin, [...values, bytesMax]));
    return rows.map(toRunEntry);
  }

  async hasStep({ accountId, runId, createdAt }: RunKey, stepKey: string): Promise<boolean> {
    const rows = await this.#session.query(SQL.step, [accountId, runId, createdAt, stepKey]);
    return rows.length > 0;
  }

  async active(accountId: string, filter: RunFilter, page: SliceRequest): Promise<Slice<RunState>> {
    const builder = new PageBuilder<RunState>(page);
    const rows = await this.#session.query(SQL.active, [accountId, page.after ?? "", page.rowsMax]);
    for (const row of rows) {
      const state = toRunState(row);
      const offered = builder.offer(state.runId, () =>
        matchesRun(filter, state.run)
          ? { bytes: (row["facts"] as string).length, read: () => state }
          : null,
      );
      if (!offered) return builder.finish();
    }
    return rows.length < page.rowsMax ? builder.finish() : builder.finishEarly();
  }

  async list(
    accountId: string,
    filter: RunLogFilter,
    page: SliceRequest,
  ): Promise<Slice<StoredRun>> {
    const rows = await readChunk(this.#session, accountId, filter, page);
    const found = findRuns(rows, filter, page);
    const { items } = found;
    const responses =
      items.length > 0 ? await this.#session.query(SQL.responses, arraysOf(RUN_KEY, items)) : [];
    return {
      ...found,
      items: items.map((state, index) => {
        return { state, response: responses[index]?.["response"] as Uint8Array | null };
      }),
    };
  }

  async history(state: RunState, bodyBytesMax: number): Promise<RunHistory> {
    const { accountId, runId, createdAt } = state;
    const key = [accountId, runId, createdAt];
    const [entries, live] = await Promise.all([
      this.entries(state),
      this.#session.query(SQL.live, key),
    ]);
    const ids = new Set([
      ...entries.map(({ messageId }) => messageId),
      ...messagesOutsideEntries(state),
      ...live.map((row) => row["message_id"] as string),
    ]);
    const named = invokedRuns(entries);
    const runKeys = [named.map((run) => run.runId), named.map((run) => run.createdAt)];
    const [facts, logs, invoked] = await Promise.all([
      this.#session.query(SQL.facts, [accountId, [...ids], bodyBytesMax]),
      this.#session.query(SQL.logs, [accountId, [...ids]]),
      named.length > 0
        ? this.#session.query(SQL.invoked, [accountId, ...runKeys, bodyBytesMax])
        : [],
    ]);
    return {
      entries,
      messages: toMessageHistories(facts, logs),
      invoked: invoked.map(toInvokedHistory),
    };
  }
}

function findRuns(rows: readonly Row[], filter: RunLogFilter, page: SliceRequest): Slice<RunState> {
  const builder = new PageBuilder<RunState>(page);
  for (const row of rows) {
    const state = toRunState(row);
    const offered = builder.offer(writeRunCursor(state), () => {
      if (!matchesRunLog(filter, state)) return null;
      return { bytes: listedRunBytes(state, row), read: () => state };
    });
    if (!offered) return builder.finish();
  }
  return rows.length < page.rowsMax ? builder.finish() : builder.finishEarly();
}

/** By runs_made, or by the primary key when runs are named. */
function readChunk(
  session: Session,
  accountId: string,
  filter: RunLogFilter,
  { after, rowsMax, order }: SliceRequest,
): Promise<Row[]> {
  const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
  const cursor = after === null ? null : readRunCursor(after);
  const named = namedRuns(filter);
  // `created_at + 0` makes the order of the index useless, so that the server does not search all
  // runs for a few.
  const by = named === undefined ? "created_at" : "created_at + 0";
  return session.query(
    `SELECT r.*, facts, octet_length(response) AS response_bytes FROM (
       SELECT * FROM runs WHERE account_id = $1
         ${cursor === null ? "AND $2::bigint IS NULL AND $3::text IS NULL" : `AND (created_at, run_id) ${compare} ($2, $3)`}
         ${named === undefined ? "AND $4::text[] IS NULL" : "AND run_id = ANY ($4::text[])"}
         AND created_at >= $5 AND created_at <= $6
       ORDER BY ${by} ${direction}, run_id ${direction} LIMIT $7
     ) r JOIN run_facts USING (account_id, run_id, created_at)
     ORDER BY created_at ${direction}, run_id ${direction}`,
    [
      accountId,
      cursor?.createdAt ?? null,
      cursor?.runId ?? null,
      named ?? null,
      filter.fromAt ?? 0,
      filter.toAt ?? Number.MAX_SAFE_INTEGER,
      rowsMax,
    ],
  );
}

/** More are read another time. */
const ENTRIES_MAX = 1_000;

const SQL = {
  get: `SELECT r.*, facts, response
    FROM runs r JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = $1 AND run_id = $2 AND ($3::bigint IS NULL OR created_at = $3)
    ORDER BY created_at DESC LIMIT 1`,
  entries: `SELECT * FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND ordinal > $4 ORDER BY ordinal`,
  // The length of a body is known without reading it.
  entriesWithin: `SELECT * FROM (
      SELECT *, sum(octet_length(body)) OVER in_order AS bytes, row_number() OVER in_order AS nth
      FROM (SELECT * FROM run_entries
        WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND ordinal > $4
        ORDER BY ordinal LIMIT ${ENTRIES_MAX}) AS found
      WINDOW in_order AS (ORDER BY ordinal)) AS numbered
    WHERE bytes <= $5 OR nth = 1 ORDER BY ordinal`,
  step: `SELECT 1 FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND step_key = $4`,
  // runs_active
  active: `SELECT r.*, facts
    FROM runs r JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = $1 AND run_id > $2 AND phase = 0 ORDER BY run_id LIMIT $3`,
  responses: `SELECT (SELECT response FROM run_facts
      WHERE account_id = k.account_id AND run_id = k.run_id AND created_at = k.created_at)
    FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY
      AS k (account_id, run_id, created_at, nth)
    ORDER BY k.nth`,
  // messages_run
  live: `SELECT message_id FROM messages
    WHERE account_id = $1 AND run_id = $2 AND run_created_at = $3`,
  facts: `SELECT f.* FROM unnest($2::text[]) AS k (message_id)
    CROSS JOIN LATERAL (
      SELECT message_id, facts, substr(body, 1, $3) AS body FROM facts
      WHERE account_id = $1 AND message_id = k.message_id OFFSET 0
    ) f
    ORDER BY f.message_id`,
  // log_entries_message
  logs: `SELECT e.* FROM unnest($2::text[]) AS k (message_id)
    CROSS JOIN LATERAL (
      SELECT * FROM log_entries WHERE account_id = $1 AND message_id = k.message_id OFFSET 0
    ) e
    ORDER BY e.number`,
  invoked: `SELECT f.facts, substr(e.body, 1, $4) AS payload
    FROM unnest($2::text[], $3::bigint[]) AS named (run_id, created_at)
    JOIN run_facts AS f ON f.account_id = $1
      AND f.run_id = named.run_id AND f.created_at = named.created_at
    JOIN run_entries AS e ON e.account_id = f.account_id AND e.run_id = f.run_id
      AND e.created_at = f.created_at AND e.ordinal = 0`,
} as const;
