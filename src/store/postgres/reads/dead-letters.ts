import type { DeadLetterSql } from "../../reads/dead-letters.ts";
import type { DeadRunSql } from "../../reads/dead-runs.ts";
import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";
import { ATTEMPT_BYTES, ATTEMPT_SQL } from "./messages.ts";

/** The keys `$5` and `$6` of named dead letters. */
const NAMED_KEYS = "(died_at, number) IN (SELECT * FROM unnest($5::bigint[], $6::bigint[]))";

export const DEAD_LETTER_SQL: DeadLetterSql = {
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

export const DEAD_RUN_SQL: DeadRunSql = {
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
