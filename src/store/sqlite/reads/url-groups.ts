import type { StatementSync } from "node:sqlite";

import type { UrlGroup, UrlGroupKey } from "../../../core/model/url-group/url-group.ts";
import { toUrlGroup } from "../../records/rows.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class UrlGroupReads implements InThread<"urlGroups"> {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  get({ accountId, name }: UrlGroupKey): UrlGroup | null {
    const row = this.#sql.get.get(accountId, name);
    return row ? toUrlGroup(row) : null;
  }

  list(accountId: string): UrlGroup[] {
    return this.#sql.list.all(accountId).map(toUrlGroup);
  }
}

const SQL = {
  get: "SELECT record FROM url_groups WHERE account_id = ? AND name = ?",
  list: "SELECT record FROM url_groups WHERE account_id = ? ORDER BY name",
} as const;
