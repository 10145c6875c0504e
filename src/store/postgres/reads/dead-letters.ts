import type { DeadLetterSql } from "../../reads/dead-letters.ts";
import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";
import { ATTEMPT_BYTES, ATTEMPT_SQL } from "./messages.ts";

/** The keys `$5` and `$6` of named dead letters. */
export const NAMED_KEYS = "(died_at, number) IN (SELECT * FROM unnest($5::bigint[], $6::bigint[]))";

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
