import type { RunSql } from "../../reads/runs.ts";

export const RUN_SQL: RunSql = {
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
