import type { AccountContents } from "../../core/model/account/account.ts";
import type { DailyCount } from "../../core/model/account/stats.ts";
import { type AccountUsage, USAGE_MAX } from "../reader/accounts.ts";
import { toAccountRecord } from "../records/resource-tables.ts";
import type { Row } from "../records/rows.ts";
import { all, each, type Noun, one, only } from "./reading.ts";

export interface AccountSql {
  readonly dailyCounts: string;
  /** What a row of the log has that is an account's. */
  readonly isInLog: string;
}

const countUpToMax = (table: string, condition = "account_id = $1"): string =>
  `(SELECT count(*) FROM (
      SELECT 1 FROM ${table} WHERE ${condition} LIMIT ${USAGE_MAX}) counted)`;

const lines = (kind: string, after: string): string =>
  countUpToMax("line_limits", `account_id = $1 AND line >= '${kind}' AND line < '${after}'`);

const USAGE = `${lines("q:", "q;")} AS queues, ${countUpToMax("url_groups")} AS url_groups,
  ${countUpToMax("schedules")} AS schedules, ${countUpToMax("dead_letters")} AS dead_letters`;

const SHARED = {
  get: "SELECT record FROM accounts WHERE account_id = $1",
  byToken: `SELECT record FROM accounts WHERE token_hash = $1
    UNION ALL SELECT record FROM accounts WHERE read_only_token_hash = $1
    UNION ALL SELECT record FROM accounts WHERE previous_token_hash = $1
    UNION ALL SELECT record FROM accounts WHERE previous_read_only_token_hash = $1`,
  byCustomer: "SELECT record FROM accounts WHERE customer_id = $1",
  list: "SELECT record FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2",
  usage: `SELECT ${USAGE}`,
} as const;

export function accountReads({ dailyCounts, isInLog }: AccountSql): Noun<"accounts"> {
  // A message has one entry of its creation.
  const contents = `SELECT ${USAGE}, ${countUpToMax("runs")} AS runs, ${lines("k:", "k;")} AS keys,
    ${countUpToMax("log_entries", isInLog)} AS log_entries,
    ${countUpToMax("log_entries", `${isInLog} AND state = 'CREATED'`)} AS messages`;
  const sql = { ...SHARED, dailyCounts, contents };
  return {
    sql,
    reads: {
      get: (accountId) => one(sql.get, [accountId], toAccountRecord),
      getAll: (accountIds) => each(sql.get, accountIds.map(toKey), toAccountRecord),
      byTokens: (tokenHashes) => each(sql.byToken, tokenHashes.map(toKey), toAccountRecord),
      byCustomer: (customerId) => one(sql.byCustomer, [customerId], toAccountRecord),
      list: (after, count) => all(sql.list, [after, count], toAccountRecord),
      dailyCounts: (accountId, fromDay) => all(sql.dailyCounts, [accountId, fromDay], toDailyCount),
      usage: (accountId) => only(sql.usage, [accountId], toAccountUsage),
      contents: (accountId) => only(sql.contents, [accountId], toAccountContents),
    },
  };
}

const toKey = (value: string) => [value];

function toAccountUsage(row: Row): AccountUsage {
  return {
    queues: Number(row["queues"]),
    urlGroups: Number(row["url_groups"]),
    schedules: Number(row["schedules"]),
    deadLetters: Number(row["dead_letters"]),
  };
}

function toAccountContents(row: Row): AccountContents {
  return {
    ...toAccountUsage(row),
    messages: Number(row["messages"]),
    logEntries: Number(row["log_entries"]),
    runs: Number(row["runs"]),
    flowControlKeys: Number(row["keys"]),
  };
}

function toDailyCount(row: Row): DailyCount {
  return {
    day: row["day"] as number,
    messages: Number(row["messages"]),
    delivered: Number(row["delivered"]),
    failed: Number(row["failed"]),
    dropped: Number(row["dropped"]),
  };
}
