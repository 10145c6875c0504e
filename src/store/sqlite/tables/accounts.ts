import type { StatementSync } from "node:sqlite";

import type { AccountRecord } from "../../../core/model/account/account.ts";
import { encodeAccount } from "../../records/account-record.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Accounts, and what the service itself stores. */
export class Accounts {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  write({ accountsAdded, accountsChanged, serviceChanged }: WorkingSet): void {
    for (const account of accountsAdded.values()) this.#sql.add.run(...columnsOf(account));
    for (const account of accountsChanged.values()) this.#sql.change.run(...columnsOf(account));
    if (serviceChanged !== null) this.#sql.changeService.run(JSON.stringify(serviceChanged));
  }
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
  add: `INSERT INTO accounts (account_id, token_hash, read_only_token_hash, parallelism_max, record,
      customer_id, halted, previous_token_hash, previous_read_only_token_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  change: `UPDATE accounts SET token_hash = ?2, read_only_token_hash = ?3, parallelism_max = ?4,
      record = ?5, customer_id = ?6, halted = ?7, previous_token_hash = ?8,
      previous_read_only_token_hash = ?9
    WHERE account_id = ?1`,
  changeService: "UPDATE service SET record = ?",
} as const;
