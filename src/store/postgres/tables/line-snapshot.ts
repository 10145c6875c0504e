import type { LineKey } from "../../../core/model/line/line.ts";
import type { Needs } from "../../../core/rule.ts";
import { lineKey } from "../../group/row-keys.ts";
import { toLineSnapshot } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { HELD } from "../claim/claim-sql.ts";
import { columnsOf, numberedRowsOf, orConstant, constantColumn } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { ROOM_CLASS, roomNumber } from "../claim/line-lock.ts";
import { LINE_KEY, withRow } from "../group/rows-by-key.ts";

/**
 * Lines that one group tries to lock; the locks of all transactions share one table of the server.
 */
const LINES_TRIED_MAX = 128;

/**
 * Loads the lines from which this group may lease at once. Only lines without work for a claim are
 * tried, so that frequent publishing never keeps claims away; a line that another transaction has
 * locked, or whose account is halted or has a limit, is left to claims.
 */
export async function loadLineSnapshots(
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
    session.query(SQL.tryLock, [accountIds, names, numbers, now, ROOM_CLASS]),
    session.query(SQL.snapshots, [accountIds, names]),
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

const SQL = {
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
