import type { DeadLetterSql } from "../../reads/dead-letters.ts";
import type { DeadRunSql } from "../../reads/dead-runs.ts";
import { ATTEMPT_BYTES, ATTEMPT_SQL } from "./messages.ts";

/** The keys `$5` and `$6` of named dead letters. */
const NAMED_KEYS = "(d.died_at, d.number) IN (SELECT value, $6 ->> key FROM json_each($5))";

export const DEAD_LETTER_SQL: DeadLetterSql = {
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

export const DEAD_RUN_SQL: DeadRunSql = {
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
