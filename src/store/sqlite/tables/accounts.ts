import type { StatementSync } from "node:sqlite";

import type { AccountRecord } from "../../../core/model/account/account.ts";
import type { ServiceRecord } from "../../../core/model/account/service-record.ts";
import { encodeAccount } from "../../records/account-record.ts";
import { type Row, toAccountRecord, toServiceRecord } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Accounts, and what the service itself stores. */
export class Accounts {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  read(accountId: string): AccountRecord | null {
    return accountIn(this.#sql.read.get(accountId));
  }

  readByToken(tokenHash: string): AccountRecord | null {
    return accountIn(this.#sql.readByToken.get(tokenHash));
  }

  readByCustomer(customerId: string): AccountRecord | null {
    return accountIn(this.#sql.readByCustomer.get(customerId));
  }

  list(after: string, count: number): AccountRecord[] {
    return this.#sql.list.all(after, count).map(toAccountRecord);
  }

  lines(accountId: string, after: string, count: number): string[] {
    return this.#sql.lines.all(accountId, after, count).map((row) => row["line"] as string);
  }

  readService(): ServiceRecord {
    return toServiceRecord(this.#sql.readService.get());
  }

  write({ accountsAdded, accountsChanged, serviceChanged }: WorkingSet): void {
    for (const account of accountsAdded.values()) this.#sql.add.run(...columnsOf(account));
    for (const account of accountsChanged.values()) this.#sql.change.run(...columnsOf(account));
    if (serviceChanged !== null) this.#sql.changeService.run(JSON.stringify(serviceChanged));
  }
}

function accountIn(row: Row | undefined): AccountRecord | null {
  return row ? toAccountRecord(row) : null;
}

function columnsOf(account: AccountRecord): (string | number | null)[] {
  return [
    account.accountId,
    account.tokenHash,
    account.readOnlyTokenHash,
    account.limits.parallelismMax,
    encodeAccount(account),
    account.customerId,
    account.isHalted ? 1 : 0,
    account.previousTokens?.tokenHash ?? null,
    account.previousTokens?.readOnlyTokenHash ?? null,
  ];
}

const SQL = {
  read: "SELECT record FROM accounts WHERE account_id = ?",
  readByToken: `SELECT record FROM accounts WHERE token_hash = ?1
    UNION ALL SELECT record FROM accounts WHERE read_only_token_hash = ?1
    UNION ALL SELECT record FROM accounts WHERE previous_token_hash = ?1
    UNION ALL SELECT record FROM accounts WHERE previous_read_only_token_hash = ?1`,
  readByCustomer: "SELECT record FROM accounts WHERE customer_id = ?",
  list: "SELECT record FROM accounts WHERE account_id > ? ORDER BY account_id LIMIT ?",
  lines: "SELECT line FROM lines WHERE account_id = ? AND line > ? ORDER BY line LIMIT ?",
  add: `INSERT INTO accounts (account_id, token_hash, read_only_token_hash, parallelism_max, record,
      customer_id, halted, previous_token_hash, previous_read_only_token_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  change: `UPDATE accounts SET token_hash = ?2, read_only_token_hash = ?3, parallelism_max = ?4,
      record = ?5, customer_id = ?6, halted = ?7, previous_token_hash = ?8,
      previous_read_only_token_hash = ?9
    WHERE account_id = ?1`,
  readService: "SELECT record FROM service",
  changeService: "UPDATE service SET record = ?",
} as const;
