import type { StatementSync } from "node:sqlite";

import type { UrlGroup, UrlGroupKey } from "../../../core/model/url-group/url-group.ts";
import { URL_GROUPS } from "../../records/resource-tables.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { putInto, removeFrom, type WriteRows } from "../group/table-statements.ts";
import type { Database } from "../thread/connection.ts";

export class UrlGroups {
  readonly #count: StatementSync;
  readonly #put: WriteRows<UrlGroup>;
  readonly #remove: WriteRows<UrlGroupKey>;

  constructor(database: Database) {
    this.#count = database.prepare("SELECT count(*) AS count FROM url_groups WHERE account_id = ?");
    this.#put = putInto(database, URL_GROUPS);
    this.#remove = removeFrom(database, URL_GROUPS);
  }

  count(accountId: string): number {
    return this.#count.get(accountId)?.["count"] as number;
  }

  write({ urlGroups }: WorkingSet): void {
    this.#put(urlGroups.put.values());
    this.#remove(urlGroups.removed.values());
  }
}
