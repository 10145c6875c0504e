import type { StatementSync } from "node:sqlite";

import type { UrlGroup, UrlGroupKey } from "../../../core/model/url-group/url-group.ts";
import { toUrlGroup } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

export class UrlGroups {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  read({ accountId, name }: UrlGroupKey): UrlGroup | null {
    const row = this.#sql.read.get(accountId, name);
    return row ? toUrlGroup(row) : null;
  }

  list(accountId: string): UrlGroup[] {
    return this.#sql.list.all(accountId).map(toUrlGroup);
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
  read: "SELECT record FROM url_groups WHERE account_id = ? AND name = ?",
  list: "SELECT record FROM url_groups WHERE account_id = ? ORDER BY name",
  count: "SELECT count(*) AS count FROM url_groups WHERE account_id = ?",
  put: `INSERT INTO url_groups (account_id, name, record) VALUES (?, ?, ?)
    ON CONFLICT (account_id, name) DO UPDATE SET record = excluded.record`,
  remove: "DELETE FROM url_groups WHERE account_id = ? AND name = ?",
} as const;
