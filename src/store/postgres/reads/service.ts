import type { ServiceSql } from "../../reads/service.ts";

export const SERVICE_SQL: ServiceSql = {
  // Our own transactions set synchronous_commit, so only the names of standbys decide.
  durability: `SELECT CASE trim(current_setting('synchronous_standby_names'))
    WHEN '' THEN 'primary' ELSE 'standby' END AS durability`,
};
