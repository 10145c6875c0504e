import type { AccountSql } from "../../reads/accounts.ts";
import { COUNTED, IS_NEW, SUMS } from "../tables/daily-counts.ts";
import { OF_ACCOUNT } from "./of-account.ts";

export const ACCOUNT_SQL: AccountSql = {
  // log_entries_account
  dailyCounts: `SELECT day, ${SUMS}, sum(dropped) AS dropped FROM (
      SELECT day, messages, delivered, failed, dropped FROM daily_counts
      WHERE account_id = $1 AND day >= $2
      UNION ALL
      SELECT *, 0 FROM (SELECT ${COUNTED} FROM log_entries WHERE ${OF_ACCOUNT} AND ${IS_NEW})
      WHERE day >= $2 AND (messages OR delivered OR failed))
    GROUP BY day ORDER BY day`,
};
