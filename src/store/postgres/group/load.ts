import { type Act, needsOf } from "../../../core/rules/registry.ts";
import type { Deduplication } from "../../../core/change.ts";
import type { Needs, RunNeed } from "../../../core/rule.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { DEAD_LETTERS, MESSAGES } from "../../records/message-tables.ts";
import { RUN_KEY } from "../../records/run-tables.ts";
import { toMessageState } from "../../records/rows.ts";
import { TABLE_LOADS } from "../../group/table-loads.ts";
import { WorkingSet } from "../../group/working-set.ts";
import { loadAccounts, loadCounts } from "../tables/accounts.ts";
import { arraysOf, loadFrom, lockByKey, tableLoader } from "./table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { takeDeduplications } from "./deduplicate.ts";
import { loadLineSnapshots } from "../tables/line-snapshot.ts";
import { isAt } from "./rows-by-key.ts";
import { loadRuns } from "../tables/runs.ts";

export interface Loaded {
  readonly rows: WorkingSet;
  /** Keys that are already stored for the message to which the rules will give them. */
  readonly taken: ReadonlyMap<string, Deduplication>;
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
): Promise<Loaded> {
  const rows = new WorkingSet(time);
  const needs = acts.map(needsOf);
  const taken = await takeDeduplications(session, acts, rows);
  const runNeeds = needs.flatMap(({ runs }) => runs ?? []);
  await loadRuns(session, runNeeds, rows);
  await Promise.all([
    loadMessages(session, needs, runNeeds, rows),
    loadDeadLetters(session, needs, rows),
    loadAccounts(session, needs, rows),
    loadTables(session, needs, rows),
    loadCounts(session, needs, rows),
    loadLineSnapshots(session, needs, time.now + time.aheadMs, rows),
    loadNumbers(session, needs, rows),
  ]);
  return { rows, taken };
}

/** Messages of runs that end are locked together with the others, in one order. */
async function loadMessages(
  session: Session,
  needs: Needs[],
  runNeeds: readonly RunNeed[],
  rows: WorkingSet,
): Promise<void> {
  const keys = needs.flatMap(({ messages }) => messages ?? []);
  const runs = runNeeds.flatMap((need) => {
    const run = need.messages === true ? rows.runs.find(need.ref) : null;
    return run === null ? [] : [run];
  });
  if (keys.length === 0 && runs.length === 0) return;
  const columns = arraysOf(MESSAGES.key, keys);
  const found =
    runs.length === 0
      ? session.query(SQL.messages, columns)
      : session.query(SQL.messagesAndRuns, [...columns, ...arraysOf(RUN_KEY, runs)]);
  for (const row of await found) rows.loadMessage(toMessageState(row));
}

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
