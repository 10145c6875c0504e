import type { DriverReader } from "../../reads/reading.ts";
import { nounsOf, readOf } from "../../reads/nouns.ts";
import { everyMethod, isApart } from "../../reads/read-kinds.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";
import { HELD, HOLDERS } from "../claim/claim-sql.ts";
import { type Connections, IMMEDIATE } from "../driver/connection.ts";
import { withProblems } from "../driver/errors.ts";
import { LINE_KEY, withRow } from "../group/rows-by-key.ts";
import { DEAD_LETTER_SQL, DEAD_RUN_SQL } from "./dead-letters.ts";
import { MESSAGE_SQL } from "./messages.ts";
import { runReading } from "./run-reading.ts";
import { RUN_SQL } from "./runs.ts";

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
