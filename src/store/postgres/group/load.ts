import { type Act, needsOf } from "../../../core/rules/registry.ts";
import type { Deduplication } from "../../../core/change.ts";
import type { Needs, RunNeed } from "../../../core/rule.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { DEAD_LETTERS, MESSAGES } from "../../records/message-tables.ts";
import { RUN_KEY, RUNS } from "../../records/run-tables.ts";
import { toMessageState } from "../../records/rows.ts";
import { TABLE_LOADS } from "../../group/table-loads.ts";
import { WorkingSet } from "../../group/working-set.ts";
import { loadAccounts, loadCounts } from "../tables/accounts.ts";
import { arraysOf, loadFrom, lockByKey, tableLoader } from "./table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { takeDeduplications } from "./deduplicate.ts";
import { isAt, hasKey } from "./rows-by-key.ts";
import { loadOfRuns } from "../../group/load-runs.ts";
import { namesOf } from "../../records/table.ts";
import { columnsOf } from "./columns.ts";
import { runReading } from "../reads/run-reading.ts";
import type { Lease, MessageState } from "../../../core/model/message/message.ts";
import { type KnownLeases, lockKnown } from "./known-leases.ts";
import { loadHeads } from "./queue-heads.ts";
import { queuesNamed } from "../../group/queues-named.ts";
import { linesNamed, loadSnapshots, lockRooms, type RoomWait } from "./line-rooms.ts";

export interface LoadOptions {
  /** Null to read and lock all messages; see KnownLeases. */
  readonly leases: KnownLeases | null;
  readonly roomWait: RoomWait;
}

interface Loaded {
  readonly rows: WorkingSet;
  /** Keys that are already stored for the message to which the rules will give them. */
  readonly taken: ReadonlyMap<string, Deduplication>;
  /** Messages whose rows were neither read nor locked, by key; see KnownLeases. */
  readonly unread: ReadonlyMap<string, MessageState>;
}

/**
 * Locks and loads the rows that the acts of a group need. Every group takes the tables in one order
 * (rooms of lines, deduplications, runs, messages, heads of queues, dead letters, accounts, resources, and lines when
 * it writes) and the rows of each by key, so groups wait for each other but never deadlock.
 */
export async function load(
  session: Session,
  acts: readonly Act[],
  time: ClockTime,
  { leases, roomWait }: LoadOptions,
): Promise<Loaded> {
  const rows = new WorkingSet(time);
  const needs = acts.map(needsOf);
  const lines = linesNamed(needs);
  const queues = queuesNamed(needs);
  const rooms = lockRooms(session, lines, time.now + time.aheadMs, roomWait);
  const loadRest = async (): Promise<Omit<Loaded, "rows">> => {
    const taken = await takeDeduplications(session, acts, rows);
    const runNeeds = needs.flatMap(({ runs }) => runs ?? []);
    await loadRuns(session, runNeeds, rows);
    const [unread] = await Promise.all([
      loadMessages(session, needs, runNeeds, rows, knownOf(acts, needs, leases)),
      loadHeads(session, queues, time.now + time.aheadMs, rows),
      loadDeadLetters(session, needs, rows),
      loadAccounts(session, needs, rows),
      loadTables(session, needs, rows),
      loadCounts(session, needs, rows),
      loadSnapshots(session, lines, rooms, rows),
      loadNumbers(session, needs, rows),
    ]);
    return { taken, unread };
  };
  const [rest] = await Promise.all([loadRest(), rooms]);
  return { rows, ...rest };
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
    if (!needs.some(({ heads }) => heads !== undefined)) return known;
    // Nothing may be locked before these, or groups could deadlock.
    await lockKnown(session, known);
    return NONE_KNOWN;
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
