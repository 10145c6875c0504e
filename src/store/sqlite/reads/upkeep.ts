import type { UpkeepSql } from "../../reads/upkeep.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";
import { OF_ACCOUNT } from "./of-account.ts";

export const UPKEEP_SQL: UpkeepSql = {
  // log_entries_account. A message is removed with all its entries.
  firstMessage: `SELECT at FROM log_entries WHERE ${OF_ACCOUNT} ORDER BY number LIMIT 1`,
  // The one writer numbers entries in the order in which it commits them.
  logEnd: `SELECT coalesce(max(number) + ${NUMBERS_PER_STEP - 1}, 0) AS number, NULL AS next
    FROM log_entries`,
  size: `SELECT (page_count - freelist_count) * page_size AS used_bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
};
