import { changes, type Key, lookUp, type Reading, rowsOf } from "../../reads/reading.ts";
import { OF_RUN } from "../../reads/runs.ts";
import { OF_ACCOUNT } from "../reads/messages.ts";
import type { IdleKeysSwept, SweepSql } from "../../upkeep/sweep.ts";

const OF_MESSAGE = "account_id = $1 AND message_id = $2";
const IS_SAME = "WHERE account_id = $1 AND message_id = e.message_id";

export const SWEEP_SQL: SweepSql = {
  deduplications: `DELETE FROM deduplications WHERE (account_id, key) IN (
    SELECT account_id, key FROM deduplications WHERE expires_at <= $1 LIMIT $2)`,
  days: `DELETE FROM daily_counts WHERE (account_id, day, writer) IN (
    SELECT account_id, day, writer FROM daily_counts WHERE day < $1 LIMIT $2)`,
  // stats_age
  stats: `DELETE FROM stats WHERE (account_id, step_ms, start_at, host) IN (
    SELECT account_id, step_ms, start_at, host FROM stats
    WHERE step_ms = $1 AND start_at < $2 AND (host > '') = $3 ORDER BY start_at LIMIT $4)`,
  // backlog_age
  backlog: `DELETE FROM backlog WHERE (account_id, step_ms, start_at) IN (
    SELECT account_id, step_ms, start_at FROM backlog
    WHERE step_ms = $1 AND start_at < $2 ORDER BY start_at LIMIT $3)`,
  oldLetters: `DELETE FROM dead_letters WHERE (account_id, died_at, number) IN (
    SELECT account_id, died_at, number FROM dead_letters WHERE account_id = $1 AND died_at < $2
    ORDER BY died_at, number LIMIT $3)`,
  surplusLetters: `DELETE FROM dead_letters WHERE (account_id, died_at, number) IN (
    SELECT account_id, died_at, number FROM dead_letters
    WHERE account_id = $1 AND (died_at, number) < ($2, $3)
    ORDER BY died_at, number LIMIT $4)`,
  countDropped: `INSERT INTO daily_counts (account_id, day, writer, messages, delivered, failed, dropped)
    VALUES ($1, $2, '', 0, 0, 0, $3)
    ON CONFLICT (account_id, day, writer) DO UPDATE SET dropped = dropped + excluded.dropped`,
  // runs_ended, dead_letters_run
  oldRuns: `SELECT run_id, created_at, next_ordinal FROM runs r
    WHERE account_id = $1 AND ended_at < $2 AND ended_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d.account_id = r.account_id
        AND d.run_id = r.run_id AND d.run_created_at = r.created_at)
    ORDER BY ended_at LIMIT $3`,
  removeRunEntries: `DELETE FROM run_entries WHERE ${OF_RUN}`,
  removeRunFacts: `DELETE FROM run_facts WHERE ${OF_RUN}`,
  removeRuns: `DELETE FROM runs WHERE ${OF_RUN}`,
  // log_entries_account: a message was created with its first entry. facts_source
  nextMessages: `SELECT number AS cursor, message_id, iif(state = 'CREATED', at, NULL) AS created_at,
      iif(state = 'CREATED' AND at < $4, EXISTS (SELECT 1 FROM messages ${IS_SAME})
        OR EXISTS (SELECT 1 FROM dead_letters ${IS_SAME})
        OR EXISTS (SELECT 1 FROM log_entries ${IS_SAME} AND at >= $4)
        OR (EXISTS (SELECT 1 FROM body_pieces ${IS_SAME})
          AND EXISTS (SELECT 1 FROM facts WHERE source_id = e.message_id AND account_id = $1)), NULL) AS kept
    FROM log_entries AS e WHERE ${OF_ACCOUNT} AND number > CAST($2 AS INTEGER)
    ORDER BY number LIMIT $3`,
  removeLog: `DELETE FROM log_entries WHERE ${OF_MESSAGE}`,
  removeFacts: `DELETE FROM facts WHERE ${OF_MESSAGE}`,
  removePieces: `DELETE FROM body_pieces WHERE ${OF_MESSAGE}`,
};

/** Removes unused flow-control keys; those in use are checked again after the same time. */
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
