import type { LineSql } from "../../reads/lines.ts";
import { HELD_SQL, HOLDERS_SQL } from "../claim/claim-sql.ts";

export const LINE_SQL: LineSql = {
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
};
