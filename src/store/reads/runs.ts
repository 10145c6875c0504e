import { decodeFacts } from "../../core/model/message/settings.ts";
import type {
  RunEntry,
  LoggedAttempt,
  RunHistory,
  RunKey,
  RunPhase,
  RunState,
} from "../../core/model/workflow/run.ts";
import {
  namedRuns,
  type RunFilter,
  type RunLogFilter,
} from "../../core/model/workflow/run-filter.ts";
import { matchesRun, matchesRunLog } from "../../core/views/matches-run.ts";
import type { PageRequest } from "../reader/page.ts";
import type { StoredRun } from "../reader/runs.ts";
import { bytesIn, type Row } from "../records/rows.ts";
import { tellsOfAnswer, toAttemptRecord, toLogEntries } from "../records/log-step.ts";
import { PHASES, RUN_ENTRIES, toRun, toRunState } from "../records/run-tables.ts";
import { all, lookUp, type Noun, one, type Reading, rowsOf } from "./reading.ts";
import type { Slice, SliceRequest } from "./slices.ts";
import { collect, type Offer, STORED_BYTES_SQL, withinBytes } from "./stored-bytes.ts";

export interface RunSql {
  /**
   * Runs created after `$2` with the id `$3`, at most `$6`, from `$4` to `$5`, those with the ids `$7`
   * when they are named, with their facts and the size of their responses.
   */
  readonly list: (order: PageRequest["order"], isNamed: boolean) => string;
  /** The rows of a message's log, in order. */
  readonly log: string;
}

/** A condition: the rows of a run. */
export const OF_RUN = "account_id = $1 AND run_id = $2 AND created_at = $3";
const WITH_FACTS = "FROM runs r JOIN run_facts USING (account_id, run_id, created_at)";
/** More are read another time. */
const ENTRIES_MAX = 1_000;

const SHARED = {
  facts: STORED_BYTES_SQL.facts,
  get: `SELECT r.*, facts, response ${WITH_FACTS}
    WHERE account_id = $1 AND run_id = $2 AND (created_at = $3 OR $3 IS NULL)
    ORDER BY created_at DESC LIMIT 1`,
  entries: `SELECT * FROM run_entries WHERE ${OF_RUN} AND ordinal > $4 ORDER BY ordinal`,
  entriesWithin: withinBytes({
    columns: "account_id, run_id, created_at, ordinal, kind, message_id, step_key, at",
    from: "run_entries",
    where: `${OF_RUN} AND ordinal > $4`,
    order: "ordinal",
    limit: String(ENTRIES_MAX),
    bytesMax: "$5",
    body: `SELECT body FROM run_entries WHERE ${OF_RUN} AND ordinal = sized.ordinal`,
  }),
  step: `SELECT 1 FROM run_entries WHERE ${OF_RUN} AND step_key = $4`,
  // runs_active
  active: `SELECT r.*, facts ${WITH_FACTS}
    WHERE account_id = $1 AND run_id > $2 AND phase = 0 ORDER BY run_id LIMIT $3`,
  // runs_made
  counts: `SELECT phase, count(*) AS count FROM (
      SELECT phase FROM runs WHERE account_id = $1
      ORDER BY created_at DESC, run_id DESC LIMIT $2
    ) newest GROUP BY phase`,
  response: `SELECT response FROM run_facts WHERE ${OF_RUN}`,
  // messages_run
  live: `SELECT message_id FROM messages
    WHERE account_id = $1 AND run_id = $2 AND run_created_at = $3`,
  invoked: `SELECT (SELECT facts FROM run_facts WHERE ${OF_RUN}) AS facts,
      substr(body, 1, $4) AS payload
    FROM run_entries WHERE ${OF_RUN} AND ordinal = 0`,
} as const;

export function runReads(own: RunSql): Noun<"runs"> {
  const sql = { ...SHARED, ...own };
  return {
    sql,
    reads: {
      get: ({ accountId, runId, createdAt = null }) =>
        one(sql.get, [accountId, runId, createdAt], (row) => ({
          state: toRunState(row),
          response: row["response"] as Uint8Array | null,
        })),
      entries: (key, after = -1, bytesMax) =>
        bytesMax === undefined
          ? all(sql.entries, [...runKeyOf(key), after], RUN_ENTRIES.read)
          : all(sql.entriesWithin, [...runKeyOf(key), after, bytesMax], RUN_ENTRIES.read),
      *hasStep(key, stepKey) {
        return (yield* rowsOf(sql.step, [...runKeyOf(key), stepKey])).length > 0;
      },
      *active(accountId, filter, page) {
        const rows = yield* rowsOf(sql.active, [accountId, page.after ?? "", page.rowsMax]);
        return collect(page, rows, (row) => [activeIn(row, filter)]);
      },
      *counts(accountId, newestMax) {
        const rows = yield* rowsOf(sql.counts, [accountId, newestMax]);
        const found = new Map(rows.map((row) => [row["phase"], Number(row["count"])]));
        const counts = PHASES.map((phase, index) => [phase, found.get(index) ?? 0]);
        return Object.fromEntries(counts) as Record<RunPhase, number>;
      },
      list: (accountId, filter, page) => readList(sql, accountId, filter, page),
      history: (state, bodyBytesMax) => readHistory(sql, state, bodyBytesMax),
    },
  };
}

export function runKeyOf({ accountId, runId, createdAt }: RunKey): [string, string, number] {
  return [accountId, runId, createdAt];
}

function activeIn(row: Row, filter: RunFilter): Offer<RunState> {
  const state = toRunState(row);
  const found = { bytes: (row["facts"] as string).length, read: () => state };
  return { position: state.runId, found: matchesRun(filter, state.run) ? found : null };
}

function* readList(
  sql: RunSql & typeof SHARED,
  accountId: string,
  filter: RunLogFilter,
  page: SliceRequest,
): Reading<Slice<StoredRun>> {
  const { fromAt = 0, toAt = Number.MAX_SAFE_INTEGER } = filter;
  const first = {
    createdAt: page.order === "latestFirst" ? Number.MAX_SAFE_INTEGER : 0,
    runId: "",
  };
  const { createdAt, runId } = page.after === null ? first : readRunCursor(page.after);
  const named = namedRuns(filter);
  const values = [accountId, createdAt, runId, fromAt, toAt, page.rowsMax];
  const rows =
    named === undefined
      ? yield* rowsOf(sql.list(page.order, false), values)
      : yield* rowsOf(sql.list(page.order, true), [...values, named]);
  const found = collect(page, rows, (row) => {
    const state = toRunState(row);
    const candidate = { bytes: listedRunBytes(state, row), read: () => state };
    const isWanted = matchesRunLog(filter, state);
    return [{ position: writeRunCursor(state), found: isWanted ? candidate : null }];
  });
  const responses = yield* lookUp(sql.response, found.items.map(runKeyOf));
  const items = found.items.map((state, index) => ({
    state,
    response: (responses[index]![0]?.["response"] ?? null) as Uint8Array | null,
  }));
  return { ...found, items };
}

function* readHistory(
  sql: RunSql & typeof SHARED,
  state: RunState,
  bodyBytesMax: number,
): Reading<RunHistory> {
  const key = runKeyOf(state);
  const [[entryRows] = [], [live] = []] = yield [
    { text: sql.entries, values: [...key, -1] },
    { text: sql.live, values: key },
  ];
  const entries = entryRows!.map(RUN_ENTRIES.read);
  const ids = new Set([
    ...entries.map(({ messageId }) => messageId),
    ...messagesOutsideEntries(state),
    ...live!.map((row) => row["message_id"] as string),
  ]);
  const messages = [...ids].toSorted().map((messageId) => [state.accountId, messageId]);
  const named = invokedRuns(entries).map((run) => [state.accountId, run.runId, run.createdAt]);
  const [facts, logs, invoked] = yield [
    { text: sql.facts, values: [bodyBytesMax], keys: messages },
    { text: sql.log, values: [], keys: messages },
    { text: sql.invoked, values: [bodyBytesMax], keys: named },
  ];
  return {
    entries,
    messages: facts!.flatMap((rows, index) =>
      rows.map((row) => ({
        message: decodeFacts(row["facts"] as string),
        body: bytesIn(row["body"]),
        log: logs![index]!.flatMap(toLoggedAttempts),
      })),
    ),
    invoked: invoked!.flat().map((row) => ({
      run: toRun(row["facts"] as string),
      payload: bytesIn(row["payload"]),
    })),
  };
}

function toLoggedAttempts(row: Row): LoggedAttempt[] {
  return toLogEntries(row).map(({ entry }) => ({
    entry,
    attempt: tellsOfAnswer(entry.state) && row["started_at"] !== null ? toAttemptRecord(row) : null,
  }));
}

/** The runs that a run has invoked, as named in its entries. */
function invokedRuns(entries: readonly RunEntry[]): RunCursor[] {
  const opened = entries.filter(({ kind }) => kind === "invoke");
  return opened.flatMap(({ body }) => {
    const { invoked } = JSON.parse(new TextDecoder().decode(body)) as { invoked?: RunCursor };
    return invoked ? [{ runId: invoked.runId, createdAt: invoked.createdAt }] : [];
  });
}

/** Messages of a run that are named outside of its entries. */
function messagesOutsideEntries({ failure }: RunState): string[] {
  const ids = [failure?.messageId, failure?.call?.messageId];
  return ids.filter((id) => id !== undefined);
}

/** How many bytes of a page a run takes. */
function listedRunBytes({ bytes, nextOrdinal }: RunState, row: Row): number {
  return bytes + nextOrdinal * ENTRY_BYTES + ((row["response_bytes"] as number | null) ?? 0);
}

/** What an entry, its message and their log take besides their bodies. */
const ENTRY_BYTES = 1_024;

export interface RunCursor {
  readonly createdAt: number;
  readonly runId: string;
}

export const writeRunCursor = ({ createdAt, runId }: RunCursor): string => `${createdAt}@${runId}`;

export function readRunCursor(text: string): RunCursor {
  const at = text.indexOf("@");
  return { createdAt: Number(text.slice(0, at)), runId: text.slice(at + 1) };
}
