import type { LineSql } from "../../reads/lines.ts";
import { HELD, HOLDERS } from "../claim/claim-sql.ts";
import { LINE_KEY, withRow } from "../group/rows-by-key.ts";

const NAMED = "(SELECT $1::text AS account_id, $2::text AS line) k";

export const LINE_SQL: LineSql = {
  list: `SELECT * FROM (
      SELECT * FROM line_limits WHERE account_id = $1 AND line >= $2 AND line < $3
      ORDER BY line LIMIT $4
    ) l WHERE strpos(substr(line, 3), $5) > 0 ORDER BY line LIMIT $6`,
  load: `SELECT m.parallelism, m.rate, m.period_ms, m.paused, m.pinned_parallelism, m.pinned_rate,
      m.created_at, m.updated_at, l.next_at, l.window_started_at, l.window_starts, l.emptied,
      ${HELD} AS held, NULL::bigint AS next_ready_at
    FROM ${NAMED}
    ${withRow("line_limits", LINE_KEY, "m")}
    ${withRow("lines", LINE_KEY, "l")}`,
  holders: `SELECT unnest(${HOLDERS}) AS message_id FROM ${NAMED}`,
};
