import type { StatementSync } from "node:sqlite";

import type { AccountRecord } from "../../../core/model/account/account.ts";
import type { DailyCount } from "../../../core/model/account/daily-count.ts";
import { type AccountUsage, USAGE_MAX } from "../../reader/accounts.ts";
import { type Row, toAccountRecord, toAccountUsage } from "../../records/rows.ts";
import { DailyCounts } from "../tables/daily-counts.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class AccountReads implements InThread<"accounts"> {
  readonly #days: DailyCounts;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#days = new DailyCounts(database);
    this.#sql = prepareAll(database, SQL);
  }

  get(accountId: string): AccountRecord | null {
    return accountIn(this.#sql.get.get(accountId));
  }

  getAll(accountIds: readonly string[]): (AccountRecord | null)[] {
    return accountIds.map((accountId) => this.get(accountId));
  }

  byTokens(tokenHashes: readonly string[]): (AccountRecord | null)[] {
    return tokenHashes.map((tokenHash) => accountIn(this.#sql.byToken.get(tokenHash)));
  }

  byCustomer(customerId: string): AccountRecord | null {
    return accountIn(this.#sql.byCustomer.get(customerId));
  }

  list(after: string, count: number): AccountRecord[] {
    return this.#sql.list.all(after, count).map(toAccountRecord);
  }

  dailyCounts(accountId: string, fromDay: number): DailyCount[] {
    return this.#days.dailyCounts(accountId, fromDay);
  }

  usage(accountId: string): AccountUsage {
    return toAccountUsage(this.#sql.usage.get(accountId)!);
  }
}

function accountIn(row: Row | undefined): AccountRecord | null {
  return row ? toAccountRecord(row) : null;
}

const SQL = {
  get: "SELECT record FROM accounts WHERE account_id = ?",
  byToken: `SELECT record FROM accounts WHERE token_hash = ?1
    UNION ALL SELECT record FROM accounts WHERE read_only_token_hash = ?1
    UNION ALL SELECT record FROM accounts WHERE previous_token_hash = ?1
    UNION ALL SELECT record FROM accounts WHERE previous_read_only_token_hash = ?1`,
  byCustomer: "SELECT record FROM accounts WHERE customer_id = ?",
  list: "SELECT record FROM accounts WHERE account_id > ? ORDER BY account_id LIMIT ?",
  usage: `SELECT (SELECT count(*) FROM (
      SELECT 1 FROM line_limits WHERE account_id = ?1 AND line >= 'q:' AND line < 'q;' LIMIT ${USAGE_MAX}) q) AS queues,
    (SELECT count(*) FROM (
      SELECT 1 FROM url_groups WHERE account_id = ?1 LIMIT ${USAGE_MAX}) u) AS url_groups,
    (SELECT count(*) FROM (
      SELECT 1 FROM schedules WHERE account_id = ?1 LIMIT ${USAGE_MAX}) s) AS schedules,
    (SELECT count(*) FROM (
      SELECT 1 FROM dead_letters WHERE account_id = ?1 LIMIT ${USAGE_MAX}) d) AS dead_letters`,
} as const;
