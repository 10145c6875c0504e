import type { DeadLetterSql } from "../../reads/dead-letters.ts";
import { ATTEMPT_BYTES, ATTEMPT_SQL } from "./messages.ts";

/** The keys `$5` and `$6` of named dead letters. */
export const NAMED_KEYS = "(d.died_at, d.number) IN (SELECT value, $6 ->> key FROM json_each($5))";

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
