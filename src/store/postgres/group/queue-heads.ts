import type { QueueHead } from "../../../core/model/line/line.ts";
import type { Instant } from "../../../core/model/time.ts";
import type { NamedQueue } from "../../group/queues-named.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { toQueueHead } from "../../records/rows.ts";
import { HELD } from "../claim/claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { columnsOf } from "./columns.ts";
import { hasKey, LINE_KEY, withRow } from "./rows-by-key.ts";

/**
 * Locks and loads the first messages of queues that are ready. Of each queue only those before the
 * first that another transaction has locked: a claim that leases it, or a cancel. It never waits, so
 * it may come after the messages that the group names.
 */
export async function loadHeads(
  session: Session,
  queues: readonly NamedQueue[],
  now: Instant,
  rows: WorkingSet,
): Promise<void> {
  if (queues.length === 0) return;
  const columns = columnsOf(
    queues,
    ({ key }) => key.accountId,
    ({ key }) => key.line,
    ({ count }) => count,
  );
  const found = queues.map((): QueueHead[] => []);
  for (const row of await session.query(HEADS_SQL, [...columns, now])) {
    const index = (row["nth"] as number) - 1;
    const heads = found[index]!;
    if (row["turn"] === heads.length + 1) heads.push(toQueueHead(row, queues[index]!.key));
  }
  for (const [index, heads] of found.entries()) {
    for (const { state } of heads) rows.loadMessage(state);
    rows.lines.loadHeads(queues[index]!.key, heads);
  }
}

// messages_queued, and for each message the primary key: `phase + 0` keeps the server from others.
const HEADS_SQL = `SELECT k.nth::int AS nth, h.turn::int AS turn, m.*,
    s.parallelism, s.rate, s.period_ms, s.paused, q.held,
    NOT coalesce((SELECT next_at IS NOT NULL OR NOT emptied FROM lines
      WHERE account_id = k.account_id AND line = m.line_after), false) AS is_direct
  FROM (
    SELECT * FROM unnest($1::text[], $2::text[], $3::int[]) WITH ORDINALITY
      AS n (account_id, line, count, nth)
    WHERE account_id NOT IN (SELECT account_id FROM accounts
      WHERE account_id = ANY ($1::text[]) AND (halted OR parallelism_max IS NOT NULL))
    OFFSET 0
  ) k
  ${withRow("line_limits", LINE_KEY, "s")}
  CROSS JOIN LATERAL (SELECT ${HELD} AS held OFFSET 0) q
  CROSS JOIN LATERAL (
    SELECT message_id, row_number() OVER (ORDER BY position) AS turn FROM (
      SELECT message_id, position FROM messages
      WHERE ${hasKey(LINE_KEY)} AND phase = 0 AND line_after IS NOT NULL AND ready_at <= $4
      ORDER BY position LIMIT k.count
    ) first
  ) h
  CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE account_id = k.account_id AND message_id = h.message_id
      AND phase + 0 = 0 AND line_after IS NOT NULL
    FOR UPDATE SKIP LOCKED
  ) m
  ORDER BY k.nth, h.turn`;
