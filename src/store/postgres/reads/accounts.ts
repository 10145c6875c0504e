import type { AccountSql } from "../../reads/accounts.ts";

export const ACCOUNT_SQL: AccountSql = {
  dailyCounts: `SELECT day, sum(messages) AS messages, sum(delivered) AS delivered, sum(failed) AS failed,
      sum(dropped) AS dropped
    FROM daily_counts WHERE account_id = $1 AND day >= $2 GROUP BY day ORDER BY day`,
};
