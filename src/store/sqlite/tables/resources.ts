import type { CountKey, Needs } from "../../../core/rule.ts";
import type { DueLine } from "../../group/line-rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { NOUNS } from "../reads/reader.ts";
import { type RunReading, statementReader } from "../reads/run-reading.ts";
import type { Database } from "../thread/connection.ts";
import { Accounts } from "./accounts.ts";
import { LineSettings } from "./line-settings.ts";
import { Schedules } from "./schedules.ts";
import { UrlGroups } from "./url-groups.ts";

/** Accounts, URL groups, schedules, queues and flow-control keys. */
export class Resources {
  readonly #accounts: Accounts;
  readonly #urlGroups: UrlGroups;
  readonly #schedules: Schedules;
  readonly #lineSettings: LineSettings;
  readonly #run: RunReading;

  constructor(database: Database) {
    this.#accounts = new Accounts(database);
    this.#urlGroups = new UrlGroups(database);
    this.#schedules = new Schedules(database);
    this.#lineSettings = new LineSettings(database);
    this.#run = statementReader(database, [
      NOUNS.accounts.sql,
      NOUNS.service.sql,
      NOUNS.urlGroups.sql,
      NOUNS.lines.sql,
    ]);
  }

  load(needs: Needs, rows: WorkingSet): void {
    this.#loadAccounts(needs, rows);
    for (const key of needs.urlGroups ?? []) {
      const urlGroup = this.#run(NOUNS.urlGroups.reads.get(key));
      if (urlGroup) rows.urlGroups.load(urlGroup);
    }
    for (const key of needs.schedules ?? []) {
      const schedule = this.#schedules.read(key);
      if (schedule) rows.schedules.load(schedule);
    }
    for (const key of needs.lineSettings ?? []) {
      const setting = this.#lineSettings.read(key);
      if (setting) rows.lineSettings.load(setting);
    }
    for (const key of needs.counts ?? []) rows.counts.load(key, this.#count(key));
  }

  write(rows: WorkingSet): void {
    this.#accounts.write(rows);
    this.#urlGroups.write(rows);
    this.#schedules.write(rows);
    this.#lineSettings.write(rows);
  }

  /** Returns the lines whose limits publishers changed. */
  use({ lines: { used } }: WorkingSet): DueLine[] {
    return used.size === 0 ? [] : this.#lineSettings.use(used.values());
  }

  #loadAccounts({ accounts = [], customers = [], service }: Needs, rows: WorkingSet): void {
    const found = [
      ...accounts.map((accountId) => this.#run(NOUNS.accounts.reads.get(accountId))),
      ...customers.map((customerId) => this.#run(NOUNS.accounts.reads.byCustomer(customerId))),
    ];
    for (const account of found) if (account) rows.loadAccount(account);
    if (service === true) rows.loadService(this.#run(NOUNS.service.reads.get()));
  }

  #count({ accountId, noun }: CountKey): number {
    switch (noun) {
      case "urlGroups":
        return this.#urlGroups.count(accountId);
      case "schedules":
        return this.#schedules.count(accountId);
      case "queues":
        return this.#run(NOUNS.lines.reads.countQueues(accountId));
    }
  }
}
