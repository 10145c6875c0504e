import type { DeadRunSql } from "../../reads/dead-runs.ts";
import { NAMED_KEYS } from "./dead-letters.ts";
import { ATTEMPT_BYTES, ATTEMPT_SQL } from "./messages.ts";

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
