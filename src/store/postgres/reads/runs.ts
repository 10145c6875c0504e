import type { RunSql } from "../../reads/runs.ts";
import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";

export const RUN_SQL: RunSql = {
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
