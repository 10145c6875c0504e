import type { Reader } from "../../reader.ts";
import type { NounReader } from "../../reads/reading.ts";
import { nounsOf, readOf } from "../../reads/nouns.ts";
import { everyMethod } from "../../reads/read-kinds.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";
import { HELD_SQL, HOLDERS_SQL } from "../claim/claim-sql.ts";
import { COUNTED, IS_NEW, SUMS } from "../tables/daily-counts.ts";
import type { Database } from "../thread/connection.ts";
import { DIALECT } from "../upkeep/views.ts";
import { MESSAGE_SQL, OF_ACCOUNT, ATTEMPT_BYTES, ATTEMPT_SQL } from "./messages.ts";
import { snapshotReader } from "./run-reading.ts";
import type { RunSql } from "../../reads/runs.ts";
import type { DeadLetterSql } from "../../reads/dead-letters.ts";
import type { DeadRunSql } from "../../reads/dead-runs.ts";

/** The keys `$5` and `$6` of named dead letters. */
const NAMED_KEYS = "(d.died_at, d.number) IN (SELECT value, $6 ->> key FROM json_each($5))";

const DEAD_LETTER_SQL: DeadLetterSql = {
  url: DIALECT.text("f.facts", "url"),
  attempt: ATTEMPT_SQL,
  deadLetter: "SELECT * FROM dead_letters WHERE account_id = $1 AND died_at = $2 AND number = $3",
  list: (order, isOfRun, isNamed) => {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    const index = isOfRun ? "dead_letters_of_runs" : "dead_letters_of_messages";
    return `SELECT d.*, f.facts, coalesce(octet_length(f.body), 0) AS body_bytes,
        coalesce((SELECT ${ATTEMPT_BYTES} FROM log_entries e
          WHERE account_id = d.account_id AND message_id = d.message_id AND attempt = d.attempt
            AND started_at IS NOT NULL), 0) AS attempt_bytes
      FROM dead_letters d ${isNamed ? "" : `INDEXED BY ${index}`}
      LEFT JOIN facts f ON f.account_id = d.account_id AND f.message_id = d.message_id
      WHERE d.account_id = $1 AND d.run_id ${isOfRun ? "IS NOT NULL" : "IS NULL"}
        AND (d.died_at, d.number) ${compare} ($2, $3) ${isNamed ? `AND ${NAMED_KEYS}` : ""}
      ORDER BY d.died_at ${direction}, d.number ${direction} LIMIT $4`;
  },
};

/** By log_entries_message. */
const newestAttempt = (columns: string, messageId: string, condition = "true"): string =>
  `SELECT ${columns} FROM log_entries e WHERE account_id = $1 AND message_id = ${messageId}
    AND started_at IS NOT NULL AND ${condition} ORDER BY number DESC LIMIT 1`;

const deadRuns = (index: string, letters: string): string =>
  `SELECT d.*, r.*, f.facts, m.facts AS message_facts,
    coalesce(octet_length(p.body), 0) + coalesce(octet_length(m.body), 0)
      + coalesce((${newestAttempt(ATTEMPT_BYTES, "d.message_id", "attempt = d.attempt")}), 0)
      + coalesce((${newestAttempt(ATTEMPT_BYTES, "r.failure ->> '$.call.messageId'")}), 0)
      AS bodies_bytes
  FROM dead_letters d ${index}
  JOIN runs r ON r.account_id = d.account_id AND r.run_id = d.run_id
    AND r.created_at = d.run_created_at
  JOIN run_facts f ON f.account_id = d.account_id AND f.run_id = d.run_id
    AND f.created_at = d.run_created_at
  LEFT JOIN run_entries p ON p.account_id = d.account_id AND p.run_id = d.run_id
    AND p.created_at = d.run_created_at AND p.ordinal = 0
  LEFT JOIN facts m ON m.account_id = d.account_id AND m.message_id = d.message_id
  WHERE d.account_id = $1 AND d.run_id IS NOT NULL AND ${letters}`;

const DEAD_RUN_SQL: DeadRunSql = {
  attempt: ATTEMPT_SQL,
  get: deadRuns("", "d.died_at = $2 AND d.number = $3"),
  list: (order, isNamed) => {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    const index = isNamed ? "" : "INDEXED BY dead_letters_of_runs";
    const after = `(d.died_at, d.number) ${compare} ($2, $3)`;
    return `${deadRuns(index, isNamed ? `${after} AND ${NAMED_KEYS}` : after)}
      ORDER BY d.died_at ${direction}, d.number ${direction} LIMIT $4`;
  },
  lastAttempt: newestAttempt("*", "$2"),
};

const RUN_SQL: RunSql = {
  // By runs_made, or by the primary key when runs are named.
  list: (order, isNamed) => {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    // `+created_at` makes the order of the index useless, so that SQLite does not search all runs
    // for a few.
    const by = isNamed ? "+created_at" : "created_at";
    return `SELECT runs.*, facts, octet_length(response) AS response_bytes
      FROM runs JOIN run_facts USING (account_id, run_id, created_at)
      WHERE account_id = $1 AND (created_at, run_id) ${compare} ($2, $3)
        AND created_at >= $4 AND created_at <= $5
        ${isNamed ? "AND run_id IN (SELECT value FROM json_each($7))" : ""}
      ORDER BY ${by} ${direction}, run_id ${direction} LIMIT $6`;
  },
  // log_entries_message
  log: "SELECT * FROM log_entries WHERE account_id = $1 AND message_id = $2 ORDER BY +number",
};

/** The reader inside a thread, which answers at once. */
type ThreadReader = { readonly [Noun in keyof Reader]: InThread<Noun> };

type InThread<Noun extends keyof Reader> = {
  [Method in keyof NounReader<Noun>]: AtOnce<NounReader<Noun>[Method]>;
};

type AtOnce<Method> = Method extends (...asked: infer Asked) => Promise<infer Answer>
  ? (...asked: Asked) => Answer
  : never;

const NOUNS = nounsOf({
  // SQLite takes a partial index where its condition stands in the statement as it is written there.
  conditions: {
    isWaiting: "phase = 0 AND suspect = 0",
    isWaitingSuspect: "phase = 0 AND suspect = 1",
    isCapped: "phase = 1 AND capped = 1",
  },
  messages: MESSAGE_SQL,
  deadLetters: DEAD_LETTER_SQL,
  runs: RUN_SQL,
  deadRuns: DEAD_RUN_SQL,
  lines: {
    list: `SELECT * FROM (
        SELECT * FROM line_limits WHERE account_id = $1 AND line >= $2 AND line < $3
        ORDER BY line LIMIT $4
      ) WHERE instr(substr(line, 3), $5) > 0 OR $5 = '' LIMIT $6`,
    load: `SELECT m.parallelism, m.rate, m.period_ms, m.paused, m.pinned_parallelism, m.pinned_rate,
        m.created_at, m.updated_at, l.next_at, l.window_started_at, l.window_starts, l.emptied,
        CASE substr($2, 1, 2) WHEN 'q:' THEN (${HELD_SQL.queue}) WHEN 'k:' THEN (${HELD_SQL.key})
          ELSE 0 END AS held,
        NULL AS next_ready_at
      FROM (SELECT 1)
      LEFT JOIN line_limits AS m ON m.account_id = $1 AND m.line = $2
      LEFT JOIN lines AS l ON l.account_id = $1 AND l.line = $2`,
    // The one finds none in a key, the other none in a queue.
    holders: `SELECT * FROM (${HOLDERS_SQL.queue}) AS found
      UNION ALL SELECT * FROM (${HOLDERS_SQL.key}) AS found`,
  },
  accounts: {
    // log_entries_account
    dailyCounts: `SELECT day, ${SUMS}, sum(dropped) AS dropped FROM (
        SELECT day, messages, delivered, failed, dropped FROM daily_counts
        WHERE account_id = $1 AND day >= $2
        UNION ALL
        SELECT *, 0 FROM (SELECT ${COUNTED} FROM log_entries WHERE ${OF_ACCOUNT} AND ${IS_NEW})
        WHERE day >= $2 AND (messages OR delivered OR failed))
      GROUP BY day ORDER BY day`,
    isInLog: OF_ACCOUNT,
  },
  service: {
    durability: "SELECT 'disk' AS durability",
  },
  upkeep: {
    // log_entries_account. A message is removed with all its entries.
    firstMessage: `SELECT at FROM log_entries WHERE ${OF_ACCOUNT} ORDER BY number LIMIT 1`,
    // The one writer numbers entries in the order in which it commits them.
    logEnd: `SELECT coalesce(max(number) + ${NUMBERS_PER_STEP - 1}, 0) AS number, NULL AS next
      FROM log_entries`,
    size: `SELECT (page_count - freelist_count) * page_size AS used_bytes
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  },
});

/** Everything that reads, on one connection. */
export function threadReader(database: Database): ThreadReader {
  const run = snapshotReader(
    database,
    Object.values(NOUNS).map(({ sql }) => sql),
  );
  const reader: unknown = everyMethod(({ noun, method }) => {
    const read = readOf(NOUNS, noun, method);
    return (...asked) => run(read(...asked)) as Promise<unknown>;
  });
  return reader as ThreadReader;
}
