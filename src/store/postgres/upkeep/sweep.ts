import type { SweepSql } from "../../upkeep/sweep.ts";
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
      false) AS kept
    FROM (
      SELECT message_id, created_at FROM facts WHERE account_id = $1 AND message_id > $2
      ORDER BY message_id LIMIT $3
    ) f
    ORDER BY f.message_id`,
  removeLog: removeFrom("log_entries", OF_MESSAGE),
  removeFacts: removeFrom("facts", OF_MESSAGE),
};
