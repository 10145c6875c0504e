import type { Reader } from "../../reader.ts";
import type { NounReader } from "../../reads/reading.ts";
import { nounsOf, readOf } from "../../reads/nouns.ts";
import { everyMethod } from "../../reads/read-kinds.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";
import { HELD_SQL, HOLDERS_SQL } from "../claim/claim-sql.ts";
import { COUNTED, IS_NEW, SUMS } from "../tables/daily-counts.ts";
import type { Database } from "../thread/connection.ts";
import { DEAD_LETTER_SQL, DEAD_RUN_SQL } from "./dead-letters.ts";
import { MESSAGE_SQL, OF_ACCOUNT } from "./messages.ts";
import { snapshotReader } from "./run-reading.ts";
import { RUN_SQL } from "./runs.ts";

/** The reader inside a thread, which answers at once. */
export type ThreadReader = { readonly [Noun in keyof Reader]: InThread<Noun> };

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
