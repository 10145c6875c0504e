import type { LineKey } from "../../../core/model/line/line.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import type { IdleKeysSwept } from "../../upkeep/sweep.ts";
import { arraysOf } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { tryLockLines } from "../claim/line-lock.ts";

/**
 * Removes flow-control keys that are no longer used; those in use are checked again after the same
 * time. Skips keys that another transaction has locked, for publishing or setting, until the next
 * round.
 */
export async function removeIdleKeys(
  session: Session,
  before: number,
  now: number,
  count: number,
): Promise<IdleKeysSwept> {
  const rows = await session.query(SQL.candidates, [before, count]);
  const keys = rows.map((row): LineKey => {
    return { accountId: row["account_id"] as string, line: row["line"] as string };
  });
  if (keys.length === 0) return { removed: 0, examined: 0 };
  const locked = [...(await tryLockLines(session, keys))];
  const [counts] = await session.query(SQL.judge, [
    ...arraysOf(LINE_LIMITS.key, locked),
    before,
    now,
  ]);
  return { removed: counts?.["removed"] as number, examined: counts?.["examined"] as number };
}

const SQL = {
  // line_limits_idle
  candidates: `SELECT account_id, line FROM line_limits
    WHERE line >= 'k:' AND line < 'k;' AND NOT paused AND NOT pinned_parallelism
      AND NOT pinned_rate AND updated_at < $1
    ORDER BY updated_at LIMIT $2`,
  // messages_waiting, messages_keyed, messages_suspect, messages_behind, by queries that the server
  // cannot turn into reading a whole index.
  judge: `WITH own AS (
      SELECT l.account_id, l.line, l.period_ms
      FROM unnest($1::text[], $2::text[]) AS k (account_id, line)
      CROSS JOIN LATERAL (
        SELECT * FROM line_limits WHERE account_id = k.account_id AND line = k.line
          AND NOT paused AND NOT pinned_parallelism AND NOT pinned_rate AND updated_at < $3
        FOR UPDATE SKIP LOCKED
      ) l
    ), judged AS (
      SELECT account_id, line, coalesce(
        (SELECT true FROM lines
          WHERE account_id = o.account_id AND line = o.line
            AND (next_at IS NOT NULL OR window_started_at + o.period_ms >= $3)),
        (SELECT true FROM messages
          WHERE account_id = o.account_id AND line = o.line AND phase = 0 AND NOT suspect LIMIT 1),
        (SELECT true FROM messages
          WHERE account_id = o.account_id AND line = o.line AND phase = 1
            AND line >= 'k:' AND line < 'k;' LIMIT 1),
        (SELECT true FROM (SELECT account_id, line FROM messages WHERE suspect OFFSET 0) s
          WHERE s.account_id = o.account_id AND s.line = o.line LIMIT 1),
        (SELECT true FROM messages
          WHERE account_id = o.account_id AND line_after = o.line
            AND line_after >= 'k:' AND line_after < 'k;' LIMIT 1),
        false) AS used
      FROM own o
    ), touched AS (
      UPDATE line_limits SET updated_at = $4 FROM judged j
      WHERE used AND line_limits.account_id = j.account_id AND line_limits.line = j.line
    ), gone AS (
      DELETE FROM line_limits USING judged j
      WHERE NOT used AND line_limits.account_id = j.account_id AND line_limits.line = j.line
    ), forgotten AS (
      DELETE FROM lines USING judged j
      WHERE NOT used AND lines.account_id = j.account_id AND lines.line = j.line
    )
    SELECT count(*) AS examined, count(*) FILTER (WHERE NOT used) AS removed FROM judged`,
} as const;
