import type { StatementSync } from "node:sqlite";

import type { AccountRecord } from "../../../core/model/account/account.ts";
import { ACCOUNTS } from "../../records/resource-tables.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { addTo, changeIn, type WriteRows } from "../group/table-statements.ts";
import type { Database } from "../thread/connection.ts";

/** Accounts, and what the service itself stores. */
export class Accounts {
  readonly #add: WriteRows<AccountRecord>;
  readonly #change: WriteRows<AccountRecord>;
  readonly #changeService: StatementSync;

  constructor(database: Database) {
    this.#add = addTo(database, ACCOUNTS);
    this.#change = changeIn(database, ACCOUNTS);
    this.#changeService = database.prepare("UPDATE service SET record = ?");
  }

  write({ accountsAdded, accountsChanged, serviceChanged }: WorkingSet): void {
    this.#add(accountsAdded.values());
    this.#change(accountsChanged.values());
    if (serviceChanged !== null) this.#changeService.run(JSON.stringify(serviceChanged));
  }
}
