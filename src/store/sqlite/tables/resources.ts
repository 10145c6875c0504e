import type { StatementSync } from "node:sqlite";
import type { AccountRecord } from "../../../core/model/account/account.ts";
import type { LineKey, LineSetting, LineUses } from "../../../core/model/line/line.ts";
import type { Needs } from "../../../core/rule.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import type { DueLine } from "../../group/line-rows.ts";
import { COUNT_SQL } from "../../group/row-counts.ts";
import { TABLE_LOADS } from "../../group/table-loads.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { ACCOUNTS, LINE_LIMITS, toAccountRecord } from "../../records/resource-tables.ts";
import { toServiceRecord } from "../../records/rows.ts";
import { loadFrom, putInto, tableLoader, type WriteRows } from "../group/table-statements.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Loads accounts, URL groups, schedules, queues and flow-control keys for the rules. */
export class Resources {
  readonly #account: (key: { readonly accountId: string }) => AccountRecord | null;
  readonly #loadTables: (needs: Needs, rows: WorkingSet) => void;
  readonly #lineSetting: (key: LineKey) => LineSetting | null;
  readonly #putLineSettings: WriteRows<LineSetting>;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#account = loadFrom(database, ACCOUNTS);
    this.#loadTables = tableLoader(database, TABLE_LOADS);
    this.#lineSetting = loadFrom(database, LINE_LIMITS);
    this.#putLineSettings = putInto(database, LINE_LIMITS);
    this.#sql = prepareAll(database, SQL);
  }

  load(needs: Needs, rows: WorkingSet): void {
    for (const accountId of needs.accounts ?? []) {
      const account = this.#account({ accountId });
      if (account) rows.loadAccount(account);
    }
    for (const customerId of needs.customers ?? []) {
      const row = this.#sql.byCustomer.get(customerId);
      if (row) rows.loadAccount(toAccountRecord(row));
    }
    if (needs.service === true) rows.loadService(toServiceRecord(this.#sql.service.get()));
    this.#loadTables(needs, rows);
    for (const key of needs.counts ?? []) {
      rows.counts.load(key, this.#sql[key.noun].get(key.accountId)?.["count"] as number);
    }
  }

  changeService({ serviceChanged }: WorkingSet): void {
    if (serviceChanged !== null) this.#sql.changeService.run(JSON.stringify(serviceChanged));
  }

  /**
   * Stores what publishers asked for, where it changes a line. Returns the lines whose stored
   * limits changed: messages may wait there.
   */
  use({ lines: { used } }: WorkingSet): DueLine[] {
    return used.size === 0 ? [] : Array.from(used.values(), (uses) => this.#use(uses)).flat();
  }

  #use(uses: LineUses): DueLine[] {
    const known = this.#lineSetting(uses);
    const after = settingAfterUses(known, uses);
    if (after === null) return [];
    this.#putLineSettings([after]);
    return known === null ? [] : [{ ...uses, at: after.updatedAt }];
  }
}

const SQL = {
  ...COUNT_SQL,
  byCustomer: "SELECT record FROM accounts WHERE customer_id = ?",
  service: "SELECT record FROM service",
  changeService: "UPDATE service SET record = ?",
} as const;
