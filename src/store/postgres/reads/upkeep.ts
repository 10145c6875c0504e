import type { UpkeepSql } from "../../reads/upkeep.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";

export const UPKEEP_SQL: UpkeepSql = {
  firstMessage: `SELECT created_at AS at FROM facts WHERE account_id = $1
    ORDER BY message_id LIMIT 1`,
  // The transactions of this program's role in this database; those of others write no log.
  logEnd: `SELECT CASE WHEN is_called THEN last_value + ${NUMBERS_PER_STEP - 1} ELSE 0 END AS number,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
      ARRAY(SELECT backend_xid::text::bigint FROM pg_stat_activity
        WHERE datname = current_database() AND backend_xid IS NOT NULL) AS running
    FROM log_numbers`,
  // Deleted rows stay in PostgreSQL's files until they are reused.
  size: "SELECT NULL::bigint AS used_bytes",
};
