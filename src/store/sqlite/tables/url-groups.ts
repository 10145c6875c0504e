import type { StatementSync } from "node:sqlite";

import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

export class UrlGroups {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  count(accountId: string): number {
    return this.#sql.count.get(accountId)?.["count"] as number;
  }

  write({ urlGroups }: WorkingSet): void {
    for (const urlGroup of urlGroups.put.values()) {
      this.#sql.put.run(urlGroup.accountId, urlGroup.name, JSON.stringify(urlGroup));
    }
    for (const { accountId, name } of urlGroups.removed.values()) {
      this.#sql.remove.run(accountId, name);
    }
  }
}

const SQL = {
  count: "SELECT count(*) AS count FROM url_groups WHERE account_id = ?",
  put: `INSERT INTO url_groups (account_id, name, record) VALUES (?, ?, ?)
    ON CONFLICT (account_id, name) DO UPDATE SET record = excluded.record`,
  remove: "DELETE FROM url_groups WHERE account_id = ? AND name = ?",
} as const;
