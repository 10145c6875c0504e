import {
  ACCOUNT_TABLES,
  type AccountTable,
  type RemovalSql,
  type TableRemoval,
} from "../../upkeep/remove-account.ts";

/** The key of every table begins with the account. */
export const REMOVAL_SQL: RemovalSql = Object.fromEntries(
  ACCOUNT_TABLES.map((table): [AccountTable, TableRemoval] => [
    table,
    {
      find: `SELECT account_id FROM ${table} WHERE account_id = $1 LIMIT 1`,
      remove: [
        `DELETE FROM ${table} USING (
            SELECT ctid FROM ${table} WHERE account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED
          ) old
          WHERE ${table}.ctid = old.ctid`,
      ],
    },
  ]),
) as RemovalSql;
