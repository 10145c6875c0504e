import type { DriverReader } from "../../reads/reading.ts";
import { nounsOf, readOf } from "../../reads/nouns.ts";
import { everyMethod, isApart } from "../../reads/read-kinds.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";
import { HELD, HOLDERS } from "../claim/claim-sql.ts";
import { type Connections, IMMEDIATE } from "../driver/connection.ts";
import { withProblems } from "../driver/errors.ts";
import { LINE_KEY, withRow, isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";
import { DIALECT } from "../upkeep/views.ts";
import { MESSAGE_SQL, ATTEMPT_BYTES, ATTEMPT_SQL } from "./messages.ts";
import { runReading } from "./run-reading.ts";
import type { RunSql } from "../../reads/runs.ts";
import type { DeadLetterSql } from "../../reads/dead-letters.ts";
import type { DeadRunSql } from "../../reads/dead-runs.ts";

/** The keys `$5` and `$6` of named dead letters. */
const NAMED_KEYS = "(died_at, number) IN (SELECT * FROM unnest($5::bigint[], $6::bigint[]))";

const DEAD_LETTER_SQL: DeadLetterSql = {
  url: DIALECT.text("f.facts", "url"),
  attempt: ATTEMPT_SQL,
  deadLetter: `SELECT * FROM dead_letters
    WHERE ${isAt(["account_id", "died_at", "number"], ["$1", "$2", "$3"])}
    ORDER BY account_id, died_at, number`,
  // By dead_letters_of_messages or dead_letters_of_runs.
  list: (order, isOfRun, isNamed) => {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    return `SELECT d.*, f.facts, coalesce(octet_length(f.body), 0) AS body_bytes,
        coalesce(a.bytes, 0) AS attempt_bytes
      FROM (
        SELECT * FROM dead_letters
        WHERE account_id = $1 AND run_id ${isOfRun ? "IS NOT NULL" : "IS NULL"}
          AND (died_at, number) ${compare} ($2, $3) ${isNamed ? `AND ${NAMED_KEYS}` : ""}
        ORDER BY died_at ${direction}, number ${direction} LIMIT $4
      ) d
      LEFT JOIN LATERAL (
        SELECT facts, body FROM facts
        WHERE account_id = d.account_id AND message_id = d.message_id OFFSET 0
      ) f ON true
      LEFT JOIN LATERAL (
        SELECT ${ATTEMPT_BYTES} AS bytes FROM log_entries
        WHERE ${isAt(LOG_OF_MESSAGE, ["d.account_id", "d.message_id"])}
          AND attempt = d.attempt AND started_at IS NOT NULL
        ORDER BY account_id, message_id, number OFFSET 0
      ) a ON true
      ORDER BY d.died_at ${direction}, d.number ${direction}`;
  },
};

/** By log_entries_message. */
const newestAttempt = (columns: string, messageId: string, condition = "true"): string =>
  `SELECT ${columns} FROM log_entries WHERE ${isAt(LOG_OF_MESSAGE, ["$1", messageId])}
    AND started_at IS NOT NULL AND ${condition}
  ORDER BY account_id DESC, message_id DESC, number DESC LIMIT 1`;

const OF_LETTER =
  "account_id = d.account_id AND run_id = d.run_id AND created_at = d.run_created_at";

/** The dead letters of runs, by dead_letters_of_runs, with each run looked up by its key. */
const deadRuns = (letters: string, order: string, limit = ""): string =>
  `SELECT d.*, r.*, f.facts, m.facts AS message_facts,
    coalesce(octet_length(p.body), 0) + coalesce(octet_length(m.body), 0)
      + coalesce((${newestAttempt(ATTEMPT_BYTES, "d.message_id", "attempt = d.attempt")}), 0)
      + coalesce((${newestAttempt(ATTEMPT_BYTES, "(r.failure::jsonb #>> '{call,messageId}')")}), 0)
      AS bodies_bytes
  FROM (
    SELECT * FROM dead_letters d
    WHERE account_id = $1 AND run_id IS NOT NULL AND ${letters} ${order} ${limit}
  ) d
  CROSS JOIN LATERAL (SELECT * FROM runs WHERE ${OF_LETTER} OFFSET 0) r
  CROSS JOIN LATERAL (SELECT facts FROM run_facts WHERE ${OF_LETTER} OFFSET 0) f
  LEFT JOIN LATERAL (
    SELECT body FROM run_entries WHERE ${OF_LETTER} AND ordinal = 0 OFFSET 0) p ON true
  LEFT JOIN LATERAL (
    SELECT facts, body FROM facts
    WHERE account_id = d.account_id AND message_id = d.message_id OFFSET 0) m ON true
  ${order}`;

const DEAD_RUN_SQL: DeadRunSql = {
  attempt: ATTEMPT_SQL,
  get: deadRuns(isAt(["died_at", "number"], ["$2", "$3"]), "ORDER BY d.died_at, d.number"),
  list: (order, isNamed) => {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    return deadRuns(
      `(died_at, number) ${compare} ($2, $3) ${isNamed ? `AND ${NAMED_KEYS}` : ""}`,
      `ORDER BY d.died_at ${direction}, d.number ${direction}`,
      "LIMIT $4",
    );
  },
  lastAttempt: newestAttempt("*", "$2"),
};

const RUN_SQL: RunSql = {
  // By runs_made, or by the primary key when runs are named.
  list: (order, isNamed) => {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    // `created_at + 0` makes the order of the index useless, so that the server does not search all
    // runs for a few.
    const by = isNamed ? "created_at + 0" : "created_at";
    return `SELECT r.*, facts, octet_length(response) AS response_bytes FROM (
        SELECT * FROM runs WHERE account_id = $1 AND (created_at, run_id) ${compare} ($2, $3)
          AND created_at >= $4 AND created_at <= $5
          ${isNamed ? "AND run_id = ANY ($7::text[])" : ""}
        ORDER BY ${by} ${direction}, run_id ${direction} LIMIT $6
      ) r JOIN run_facts USING (account_id, run_id, created_at)
      ORDER BY created_at ${direction}, run_id ${direction}`;
  },
  log: `SELECT * FROM log_entries WHERE ${isAt(LOG_OF_MESSAGE, ["$1", "$2"])}
    ORDER BY account_id, message_id, number`,
};

const NAMED_LINE = "(SELECT $1::text AS account_id, $2::text AS line) k";

const NOUNS = nounsOf({
  conditions: {
    isWaiting: "phase = 0 AND NOT suspect",
    isWaitingSuspect: "phase = 0 AND suspect",
    isCapped: "phase = 1 AND capped",
  },
  messages: MESSAGE_SQL,
  deadLetters: DEAD_LETTER_SQL,
  runs: RUN_SQL,
  deadRuns: DEAD_RUN_SQL,
  lines: {
    list: `SELECT * FROM (
        SELECT * FROM line_limits WHERE account_id = $1 AND line >= $2 AND line < $3
        ORDER BY line LIMIT $4
      ) l WHERE strpos(substr(line, 3), $5) > 0 ORDER BY line LIMIT $6`,
    load: `SELECT m.parallelism, m.rate, m.period_ms, m.paused, m.pinned_parallelism, m.pinned_rate,
        m.created_at, m.updated_at, l.next_at, l.window_started_at, l.window_starts, l.emptied,
        ${HELD} AS held, NULL::bigint AS next_ready_at
      FROM ${NAMED_LINE}
      ${withRow("line_limits", LINE_KEY, "m")}
      ${withRow("lines", LINE_KEY, "l")}`,
    holders: `SELECT unnest(${HOLDERS}) AS message_id FROM ${NAMED_LINE}`,
  },
  accounts: {
    dailyCounts: `SELECT day, sum(messages) AS messages, sum(delivered) AS delivered, sum(failed) AS failed,
        sum(dropped) AS dropped
      FROM daily_counts WHERE account_id = $1 AND day >= $2 GROUP BY day ORDER BY day`,
    isInLog: "account_id = $1",
  },
  service: {
    // Our own transactions set synchronous_commit, so only the names of standbys decide.
    durability: `SELECT CASE trim(current_setting('synchronous_standby_names'))
      WHEN '' THEN 'primary' ELSE 'standby' END AS durability`,
  },
  upkeep: {
    firstMessage: `SELECT created_at AS at FROM facts WHERE account_id = $1
      ORDER BY message_id LIMIT 1`,
    // The transactions of this program's role in this database; those of others write no log.
    logEnd: `SELECT CASE WHEN is_called THEN last_value + ${NUMBERS_PER_STEP - 1} ELSE 0 END AS number,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
        ARRAY(SELECT backend_xid::text::bigint FROM pg_stat_activity
          WHERE datname = current_database() AND backend_xid IS NOT NULL) AS running
      FROM log_numbers`,
    // Deleted rows stay in PostgreSQL's files until they are reused.
    size: "SELECT NULL::bigint AS used_bytes",
  },
});

/** Everything that reads, each on one snapshot; lists have connections of their own. */
export function postgresReader(reading: Connections, listing: Connections): DriverReader {
  return everyMethod(({ noun, method, kind }) => {
    const connections = isApart(kind) ? listing : reading;
    const options = kind === "immediate" ? IMMEDIATE : {};
    const read = readOf(NOUNS, noun, method);
    return (...asked) =>
      withProblems(connections.read((session) => runReading(session, read(...asked)), options));
  });
}
