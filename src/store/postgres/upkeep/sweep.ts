import type { LineKey } from "../../../core/model/line/line.ts";
import { lineArrays } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { tryLockLines } from "../claim/line-lock.ts";
import type { IdleKeysSwept, SweepSql } from "../../upkeep/sweep.ts";
import { RUN_KEY } from "../../records/run-tables.ts";
import { namesOf } from "../../records/table.ts";
import { isAt, MESSAGE_KEY, rowsByKey } from "../group/rows-by-key.ts";

/** Keys that are given as an array for each column. */
interface GivenKeys {
  readonly names: readonly string[];
  readonly arrays: string;
}

const OF_MESSAGE = { names: MESSAGE_KEY, arrays: "$1::text[], $2::text[]" };
const OF_RUN = { names: namesOf(RUN_KEY), arrays: "$1::text[], $2::text[], $3::bigint[]" };

// By whole keys: the server would read all rows of an account for a thousand named ones.
function removeFrom(table: string, { names, arrays }: GivenKeys): string {
  const given = `unnest(${arrays}) AS k (${names.join(", ")})`;
  return `DELETE FROM ${table} USING ${rowsByKey(table, names, given)} old
    WHERE ${table}.ctid = old.ctid`;
}

const LETTER_RUN = ["account_id", "run_id", "run_created_at"];
const RUN = ["r.account_id", "r.run_id", "r.created_at"];
const IS_OF_MESSAGE = isAt(MESSAGE_KEY, ["$1", "f.message_id"]);

export const SWEEP_SQL: SweepSql = {
  deduplications: `DELETE FROM deduplications USING (
      SELECT ctid FROM deduplications WHERE expires_at <= $1
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ) old
    WHERE deduplications.ctid = old.ctid`,
  days: `DELETE FROM daily_counts WHERE (account_id, day, writer) IN (
    SELECT account_id, day, writer FROM daily_counts WHERE day < $1
    ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  // stats_age
  stats: `DELETE FROM stats USING (
      SELECT ctid FROM stats WHERE step_ms = $1 AND start_at < $2 AND (host > '') = $3
      ORDER BY start_at LIMIT $4 FOR UPDATE SKIP LOCKED
    ) old
    WHERE stats.ctid = old.ctid`,
  // backlog_age
  backlog: `DELETE FROM backlog USING (
      SELECT ctid FROM backlog WHERE step_ms = $1 AND start_at < $2
      ORDER BY start_at LIMIT $3 FOR UPDATE SKIP LOCKED
    ) old
    WHERE backlog.ctid = old.ctid`,
  oldLetters: `DELETE FROM dead_letters USING (
      SELECT ctid FROM dead_letters WHERE account_id = $1 AND died_at < $2
      ORDER BY died_at, number LIMIT $3 FOR UPDATE SKIP LOCKED
    ) old
    WHERE dead_letters.ctid = old.ctid`,
  surplusLetters: `DELETE FROM dead_letters USING (
      SELECT ctid FROM dead_letters WHERE account_id = $1 AND (died_at, number) < ($2, $3)
      ORDER BY died_at, number LIMIT $4 FOR UPDATE SKIP LOCKED
    ) old
    WHERE dead_letters.ctid = old.ctid`,
  countDropped: `INSERT INTO daily_counts AS c
      (account_id, day, writer, messages, delivered, failed, dropped)
    VALUES ($1, $2, 'janitor', 0, 0, 0, $3)
    ON CONFLICT (account_id, day, writer) DO UPDATE SET dropped = c.dropped + excluded.dropped`,
  // runs_ended, dead_letters_run
  oldRuns: `SELECT run_id, created_at, next_ordinal FROM runs r
    WHERE account_id = $1 AND ended_at < $2
      AND (SELECT true FROM dead_letters WHERE run_id IS NOT NULL AND ${isAt(LETTER_RUN, RUN)}
        ORDER BY ${LETTER_RUN.join(", ")} LIMIT 1) IS NULL
    ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED`,
  removeRunEntries: removeFrom("run_entries", OF_RUN),
  removeRunFacts: removeFrom("run_facts", OF_RUN),
  removeRuns: removeFrom("runs", OF_RUN),
  // By queries that the server cannot turn into reading all rows of an account.
  nextMessages: `SELECT f.message_id, f.message_id AS cursor, f.created_at, coalesce(
      (SELECT true FROM messages WHERE ${IS_OF_MESSAGE}
        ORDER BY account_id, message_id LIMIT 1),
      (SELECT true FROM dead_letters WHERE ${IS_OF_MESSAGE}
        ORDER BY account_id, message_id LIMIT 1),
      (SELECT true FROM log_entries WHERE ${IS_OF_MESSAGE} AND at >= $4
        ORDER BY account_id, message_id, number LIMIT 1),
      (SELECT true FROM body_pieces WHERE ${IS_OF_MESSAGE}
          AND EXISTS (SELECT 1 FROM facts r WHERE r.account_id = $1 AND r.source_id = f.message_id)
        ORDER BY account_id, message_id, attempt, piece LIMIT 1),
      false) AS kept
    FROM (
      SELECT message_id, created_at FROM facts WHERE account_id = $1 AND message_id > $2
      ORDER BY message_id LIMIT $3
    ) f
    ORDER BY f.message_id`,
  removeLog: removeFrom("log_entries", OF_MESSAGE),
  removeFacts: removeFrom("facts", OF_MESSAGE),
  removePieces: removeFrom("body_pieces", OF_MESSAGE),
};

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
  const rows = await session.query(IDLE_KEYS_SQL.candidates, [before, count]);
  const keys = rows.map((row): LineKey => {
    return { accountId: row["account_id"] as string, line: row["line"] as string };
  });
  if (keys.length === 0) return { removed: 0, examined: 0 };
  const locked = [...(await tryLockLines(session, keys))];
  const [counts] = await session.query(IDLE_KEYS_SQL.examine, [...lineArrays(locked), before, now]);
  return { removed: counts?.["removed"] as number, examined: counts?.["examined"] as number };
}

const IDLE_KEYS_SQL = {
  // line_limits_idle
  candidates: `SELECT account_id, line FROM line_limits
    WHERE line >= 'k:' AND line < 'k;' AND NOT paused AND NOT pinned_parallelism
      AND NOT pinned_rate AND updated_at < $1
    ORDER BY updated_at LIMIT $2`,
  // messages_waiting, messages_keyed, messages_suspect, messages_behind, by queries that the server
  // cannot turn into reading a whole index.
  examine: `WITH own AS (
      SELECT l.account_id, l.line, l.period_ms
      FROM unnest($1::text[], $2::text[]) AS k (account_id, line)
      CROSS JOIN LATERAL (
        SELECT * FROM line_limits WHERE account_id = k.account_id AND line = k.line
          AND NOT paused AND NOT pinned_parallelism AND NOT pinned_rate AND updated_at < $3
        FOR UPDATE SKIP LOCKED
      ) l
    ), examined_keys AS (
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
      UPDATE line_limits SET updated_at = $4 FROM examined_keys j
      WHERE used AND line_limits.account_id = j.account_id AND line_limits.line = j.line
    ), gone AS (
      DELETE FROM line_limits USING examined_keys j
      WHERE NOT used AND line_limits.account_id = j.account_id AND line_limits.line = j.line
    ), forgotten AS (
      DELETE FROM lines USING examined_keys j
      WHERE NOT used AND lines.account_id = j.account_id AND lines.line = j.line
    )
    SELECT count(*) AS examined, count(*) FILTER (WHERE NOT used) AS removed FROM examined_keys`,
} as const;
