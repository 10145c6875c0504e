import type { RunHistory } from "../../../core/model/workflow/run-history.ts";
import { namedRuns, type RunLogFilter } from "../../../core/model/workflow/run-log-filter.ts";
import type { RunState } from "../../../core/model/workflow/run.ts";
import { matchesRunLog } from "../../../core/views/matches-run.ts";
import { PageBuilder } from "../../reads/page.ts";
import type { Slice, SliceRequest, StoredRun } from "../../reader.ts";
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
import { keyColumns } from "../tables/run-keys.ts";

/** Lists runs, ended or not. Large columns are read only for runs on the page. */
export async function listRuns(
  session: Session,
  accountId: string,
  filter: RunLogFilter,
  page: SliceRequest,
): Promise<Slice<StoredRun>> {
  const rows = await readChunk(session, accountId, filter, page);
  const found = findRuns(rows, filter, page);
  const { items } = found;
  const responses = items.length > 0 ? await session.query(SQL.responses, keyColumns(items)) : [];
  return {
    ...found,
    items: items.map((state, index) => {
      return { state, response: responses[index]?.["response"] as Uint8Array | null };
    }),
  };
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

export async function readRunHistory(
  session: Session,
  state: RunState,
  bodyBytesMax: number,
): Promise<RunHistory> {
  const { accountId, runId, createdAt } = state;
  const key = [accountId, runId, createdAt];
  const [entryRows, live] = await Promise.all([
    session.query(SQL.entries, key),
    session.query(SQL.live, key),
  ]);
  const entries = entryRows.map(toRunEntry);
  const ids = new Set([
    ...entries.map(({ messageId }) => messageId),
    ...messagesOutsideEntries(state),
    ...live.map((row) => row["message_id"] as string),
  ]);
  const named = invokedRuns(entries);
  const runKeys = [named.map((run) => run.runId), named.map((run) => run.createdAt)];
  const [facts, logs, invoked] = await Promise.all([
    session.query(SQL.facts, [accountId, [...ids], bodyBytesMax]),
    session.query(SQL.logs, [accountId, [...ids]]),
    named.length > 0 ? session.query(SQL.invoked, [accountId, ...runKeys, bodyBytesMax]) : [],
  ]);
  return {
    entries,
    messages: toMessageHistories(facts, logs),
    invoked: invoked.map(toInvokedHistory),
  };
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

const SQL = {
  responses: `SELECT (SELECT response FROM run_facts
      WHERE account_id = k.account_id AND run_id = k.run_id AND created_at = k.created_at)
    FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY
      AS k (account_id, run_id, created_at, nth)
    ORDER BY k.nth`,
  entries: `SELECT * FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 ORDER BY ordinal`,
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
