import { type Act, needsOf } from "../../../core/rules/registry.ts";
import type { Deduplication } from "../../../core/change.ts";
import type { Needs, RunNeed } from "../../../core/rule.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { DEAD_LETTERS, MESSAGES } from "../../records/message-tables.ts";
import { RUN_KEY, RUNS } from "../../records/run-tables.ts";
import { toMessageState, toLineSnapshot } from "../../records/rows.ts";
import { TABLE_LOADS } from "../../group/table-loads.ts";
import { WorkingSet } from "../../group/working-set.ts";
import { loadAccounts, loadCounts } from "../tables/accounts.ts";
import { arraysOf, loadFrom, lockByKey, tableLoader } from "./table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { takeDeduplications } from "./deduplicate.ts";
import { isAt, hasKey, withRow, LINE_KEY } from "./rows-by-key.ts";
import { loadOfRuns } from "../../group/load-runs.ts";
import { namesOf } from "../../records/table.ts";
import { columnsOf, numberedRowsOf, orConstant, constantColumn } from "./columns.ts";
import { runReading } from "../reads/run-reading.ts";
import type { LineKey } from "../../../core/model/line/line.ts";
import type { Lease, MessageState } from "../../../core/model/message/message.ts";
import { lineKey } from "../../group/row-keys.ts";
import type { KnownLeases } from "./known-leases.ts";
import { HELD } from "../claim/claim-sql.ts";
import { ROOM_CLASS, roomNumber } from "../claim/line-lock.ts";

interface Loaded {
  readonly rows: WorkingSet;
  /** Keys that are already stored for the message to which the rules will give them. */
  readonly taken: ReadonlyMap<string, Deduplication>;
  /** Messages whose rows were neither read nor locked, by key; see KnownLeases. */
  readonly unread: ReadonlyMap<string, MessageState>;
}

/**
 * Locks and loads the rows that the acts of a group need. Every group takes the tables in one order
 * (deduplications, runs, messages, dead letters, accounts, resources, and lines when it writes) and
 * the rows of each by key, so groups wait for each other but never deadlock.
 */
export async function load(
  session: Session,
  acts: readonly Act[],
  time: ClockTime,
  leases: KnownLeases | null,
): Promise<Loaded> {
  const rows = new WorkingSet(time);
  const needs = acts.map(needsOf);
  const taken = await takeDeduplications(session, acts, rows);
  const runNeeds = needs.flatMap(({ runs }) => runs ?? []);
  await loadRuns(session, runNeeds, rows);
  const [unread] = await Promise.all([
    loadMessages(session, needs, runNeeds, rows, knownOf(acts, needs, leases)),
    loadDeadLetters(session, needs, rows),
    loadAccounts(session, needs, rows),
    loadTables(session, needs, rows),
    loadCounts(session, needs, rows),
    loadLineSnapshots(session, needs, time.now + time.aheadMs, rows),
    loadNumbers(session, needs, rows),
  ]);
  return { rows, taken, unread };
}

/**
 * Messages of runs that end are locked together with the others, in one order. Returns those whose
 * rows it left alone.
 */
async function loadMessages(
  session: Session,
  needs: Needs[],
  runNeeds: readonly RunNeed[],
  rows: WorkingSet,
  known: ReadonlyMap<string, MessageState>,
): Promise<ReadonlyMap<string, MessageState>> {
  const keys = needs.flatMap(({ messages }) => messages ?? []);
  const runs = runNeeds.flatMap((need) => {
    const run = need.messages === true ? rows.runs.find(need.ref) : null;
    return run === null ? [] : [run];
  });
  if (keys.length === 0 && runs.length === 0) return NONE_KNOWN;
  if (known.size > 0 && runs.length === 0) {
    for (const state of known.values()) rows.loadMessage(state);
    return known;
  }
  const columns = arraysOf(MESSAGES.key, keys);
  const found =
    runs.length === 0
      ? session.query(SQL.messages, columns)
      : session.query(SQL.messagesAndRuns, [...columns, ...arraysOf(RUN_KEY, runs)]);
  for (const row of await found) rows.loadMessage(toMessageState(row));
  return NONE_KNOWN;
}

/**
 * The states of all messages that the acts need, where all are known. Only settlements go by what is
 * known: another rule might leave a message as it is, and its row would not be checked.
 */
function knownOf(
  acts: readonly Act[],
  needs: readonly Needs[],
  leases: KnownLeases | null,
): ReadonlyMap<string, MessageState> {
  if (leases === null || needs.some(locksLater)) return NONE_KNOWN;
  const settled: Lease[] = [];
  for (const [index, act] of acts.entries()) {
    if (act.rule === "settle") settled.push(act.lease);
    else if (needs[index]!.messages !== undefined) return NONE_KNOWN;
  }
  return leases.all(settled) ?? NONE_KNOWN;
}

const NONE_KNOWN: ReadonlyMap<string, MessageState> = new Map();

/** Rows of known leases are locked when they are written, so nothing behind messages may be before. */
function locksLater(needs: Needs): boolean {
  return LOCKED_LATER.some((name) => needs[name] !== undefined);
}

const LOCKED_LATER = [
  "deadLetters",
  "accounts",
  "customers",
  "urlGroups",
  "schedules",
  "lineSettings",
  "counts",
  "service",
] as const satisfies readonly (keyof Needs)[];

async function loadDeadLetters(session: Session, needs: Needs[], rows: WorkingSet): Promise<void> {
  const keys = needs.flatMap(({ deadLetters }) => deadLetters ?? []);
  for (const deadLetter of await lockDeadLetters(session, keys)) rows.deadLetters.load(deadLetter);
}

const lockDeadLetters = loadFrom(DEAD_LETTERS);

async function loadNumbers(session: Session, needs: Needs[], rows: WorkingSet): Promise<void> {
  const count = needs.reduce((sum, { deadLetterNumbers }) => sum + (deadLetterNumbers ?? 0), 0);
  if (count === 0) return;
  for (const row of await session.query(SQL.numbers, [count])) {
    rows.loadDeadLetterNumber(row["number"] as number);
  }
}

const loadTables = tableLoader(TABLE_LOADS);

/** messages_run */
const MESSAGE_RUN = ["account_id", "run_id", "run_created_at"];

// Rows are locked one by one in the order of the sorted keys.
const SQL = {
  messages: lockByKey(MESSAGES),
  messagesAndRuns: `SELECT m.* FROM (
      SELECT account_id COLLATE "C" AS account_id, message_id COLLATE "C" AS message_id
      FROM unnest($1::text[], $2::text[]) AS k (account_id, message_id)
      UNION
      SELECT m.account_id, m.message_id
      FROM unnest($3::text[], $4::text[], $5::bigint[]) AS r (account_id, run_id, created_at)
      CROSS JOIN LATERAL (
        SELECT account_id, message_id FROM messages
        WHERE run_id IS NOT NULL
          AND ${isAt(MESSAGE_RUN, ["r.account_id", "r.run_id", "r.created_at"])}
        ORDER BY ${MESSAGE_RUN.join(", ")} OFFSET 0
      ) m
      ORDER BY 1, 2
    ) k
    CROSS JOIN LATERAL (
      SELECT * FROM messages
      WHERE account_id = k.account_id AND message_id = k.message_id FOR UPDATE
    ) m`,
  numbers: "SELECT nextval('dead_letter_numbers') AS number FROM generate_series(1, $1)",
} as const;

/** Locks and loads runs by key, then what the rules need of them. */
async function loadRuns(
  session: Session,
  needs: readonly RunNeed[],
  rows: WorkingSet,
): Promise<void> {
  if (needs.length === 0) return;
  const refs = columnsOf(
    needs,
    ({ ref }) => ref.accountId,
    ({ ref }) => ref.runId,
    ({ ref }) => ref.createdAt ?? null,
  );
  const locked = (await session.query(RUN_SQL.lock, refs)).map(RUNS.read);
  await runReading(session, loadOfRuns(needs, locked, rows.runs));
}

const KEY = namesOf(RUN_KEY);

const RUN_SQL = {
  // Locked one by one in key order. A name without a creation time means the latest run.
  lock: `SELECT r.* FROM (
      SELECT DISTINCT k.account_id COLLATE "C" AS account_id, k.run_id COLLATE "C" AS run_id,
        COALESCE(k.created_at, l.created_at) AS created_at
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k (account_id, run_id, created_at)
      LEFT JOIN LATERAL (
        SELECT created_at FROM runs
        WHERE ${isAt(["account_id", "run_id"], ["k.account_id", "k.run_id"])}
          AND k.created_at IS NULL
        ORDER BY account_id DESC, run_id DESC, created_at DESC LIMIT 1
      ) l ON true
      ORDER BY 1, 2, 3
    ) k
    CROSS JOIN LATERAL (SELECT * FROM runs WHERE ${hasKey(KEY)} FOR UPDATE) r`,
} as const;

/** Lines that one group tries to lock; all transactions share one table of locks. */
const LINES_TRIED_MAX = 128;

/**
 * Loads the lines from which this group may lease at once. Only lines without work for a claim are
 * tried, so that frequent publishing never keeps claims away; a line that another transaction has
 * locked, or whose account is halted or has a limit, is left to claims.
 */
async function loadLineSnapshots(
  session: Session,
  needs: readonly Needs[],
  now: number,
  { lines }: WorkingSet,
): Promise<void> {
  const named = new Map<string, LineKey>();
  for (const each of needs) for (const key of each.lines ?? []) named.set(lineKey(key), key);
  if (named.size === 0) return;
  const wanted = [...named.values()].slice(0, LINES_TRIED_MAX);
  const accountIds = constantColumn(wanted, ({ accountId }) => accountId);
  const [names, numbers] = columnsOf(wanted, ({ line }) => line, roomNumber);
  const [[tried], found] = await Promise.all([
    session.query(SNAPSHOT_SQL.tryLock, [accountIds, names, numbers, now, ROOM_CLASS]),
    session.query(SNAPSHOT_SQL.snapshots, [accountIds, names]),
  ]);
  const locked = new Set(tried?.["locked"] as readonly number[] | null);
  for (const row of found) {
    const index = row["nth"] as number;
    const key = wanted[index - 1]!;
    if (locked.has(index)) lines.load(key, toLineSnapshot(row, key));
  }
}

/** Evaluated once instead of once for each line. Reads lines_due and lines_shut. */
const NONE_WAITS = `(SELECT coalesce(
    (SELECT false FROM lines WHERE account_id = ANY ($1::text[]) AND next_at <= $4 LIMIT 1),
    (SELECT false FROM lines
     WHERE account_id = ANY ($1::text[]) AND next_at IS NULL AND NOT emptied LIMIT 1), true))`;

const SNAPSHOT_SQL = {
  tryLock: `SELECT array_agg(nth) FILTER (WHERE own) AS locked FROM (
      SELECT k.nth, pg_try_advisory_xact_lock($5::int, k.number) AS own
      FROM (
        SELECT ${orConstant("account_id", 1, "text")} AS account_id, line, number, nth
        FROM ${numberedRowsOf("account_id $1 text", "line $2 text", "number $3 int")} n
      ) k
      WHERE CASE WHEN ${NONE_WAITS} THEN true
          ELSE coalesce((
            SELECT CASE WHEN next_at IS NULL THEN emptied ELSE next_at > $4 END FROM lines
            WHERE account_id = k.account_id AND line = k.line), true) END
        AND k.account_id NOT IN (SELECT account_id FROM accounts
          WHERE account_id = ANY ($1::text[]) AND (halted OR parallelism_max IS NOT NULL))
    ) tried`,
  // In a statement of its own, which sees all that was committed before a line was locked. A line
  // with a waiting message is due or shut. messages_waiting
  snapshots: `SELECT k.nth, m.parallelism, m.rate, m.period_ms, m.paused, m.pinned_parallelism,
      m.pinned_rate, m.created_at, m.updated_at,
      l.next_at, l.window_started_at, l.window_starts, l.emptied, ${HELD} AS held,
      CASE WHEN l.line IS NOT NULL THEN (SELECT ready_at FROM messages
       WHERE account_id = k.account_id AND line = k.line AND phase = 0 AND NOT suspect
       ORDER BY ready_at, message_id LIMIT 1) END AS next_ready_at
    FROM (
      SELECT ${orConstant("account_id", 1, "text")} AS account_id, line, nth
      FROM ${numberedRowsOf("account_id $1 text", "line $2 text")} n
    ) k
    ${withRow("line_limits", LINE_KEY, "m")}
    ${withRow("lines", LINE_KEY, "l")}`,
} as const;
