import { changes, type Key, lookUp, type Reading, rowsOf } from "../../reads/reading.ts";
import type { IdleKeysSwept } from "../../upkeep/sweep.ts";

/**
 * Removes flow-control keys that are no longer used; those in use are checked again after the same
 * time.
 */
export function* removeIdleKeys(
  before: number,
  now: number,
  count: number,
): Reading<IdleKeysSwept> {
  const rows = yield* rowsOf(IDLE_KEYS_SQL.candidates, [before, count]);
  const keys = rows.map((row): Key => [row["account_id"] as string, row["line"] as string]);
  const found = yield* lookUp(IDLE_KEYS_SQL.isUsed, keys, [before]);
  const used = keys.filter((_, index) => found[index]![0]!["used"] === 1);
  const idle = keys.filter((key) => !used.includes(key));
  yield* changes([
    { text: IDLE_KEYS_SQL.touch, values: [now], keys: used },
    { text: IDLE_KEYS_SQL.removeSetting, values: [], keys: idle },
    { text: IDLE_KEYS_SQL.removeLine, values: [], keys: idle },
  ]);
  return { removed: idle.length, examined: keys.length };
}

export const IDLE_KEYS_SQL = {
  candidates: `SELECT account_id, line FROM line_limits INDEXED BY line_limits_idle
    WHERE line >= 'k:' AND line < 'k;' AND paused = 0 AND pinned_parallelism = 0
      AND pinned_rate = 0 AND updated_at < $1
    ORDER BY updated_at LIMIT $2`,
  // lines, messages_waiting, messages_keyed, messages_suspect, messages_behind
  isUsed: `SELECT EXISTS (SELECT 1 FROM lines JOIN line_limits USING (account_id, line)
      WHERE account_id = $1 AND line = $2
        AND (next_at IS NOT NULL OR window_started_at + period_ms >= $3))
    OR EXISTS (SELECT 1 FROM messages
      WHERE account_id = $1 AND line = $2 AND phase = 0 AND suspect = 0)
    OR EXISTS (SELECT 1 FROM messages
      WHERE account_id = $1 AND line = $2 AND phase = 1 AND line >= 'k:' AND line < 'k;')
    OR EXISTS (SELECT 1 FROM messages INDEXED BY messages_suspect
      WHERE suspect = 1 AND phase IN (0, 1) AND account_id = $1 AND line = $2)
    OR EXISTS (SELECT 1 FROM messages
      WHERE account_id = $1 AND line_after = $2 AND line_after >= 'k:' AND line_after < 'k;')
    AS used`,
  touch: "UPDATE line_limits SET updated_at = $3 WHERE account_id = $1 AND line = $2",
  removeSetting: "DELETE FROM line_limits WHERE account_id = $1 AND line = $2",
  removeLine: "DELETE FROM lines WHERE account_id = $1 AND line = $2",
} as const;
