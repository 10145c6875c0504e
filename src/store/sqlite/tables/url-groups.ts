import type { StatementSync } from "node:sqlite";

import type { Topic, TopicKey } from "../../../core/model/url-group/url-group.ts";
import { toTopic } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** URL groups. */
export class Topics {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  read({ accountId, name }: TopicKey): Topic | null {
    const row = this.#sql.read.get(accountId, name);
    return row ? toTopic(row) : null;
  }

  list(accountId: string): Topic[] {
    return this.#sql.list.all(accountId).map(toTopic);
  }

  count(accountId: string): number {
    return this.#sql.count.get(accountId)?.["count"] as number;
  }

  write({ topics }: WorkingSet): void {
    for (const topic of topics.put.values()) {
      this.#sql.put.run(topic.accountId, topic.name, JSON.stringify(topic));
    }
    for (const { accountId, name } of topics.removed.values()) {
      this.#sql.remove.run(accountId, name);
    }
  }
}

const SQL = {
  read: "SELECT record FROM topics WHERE account_id = ? AND name = ?",
  list: "SELECT record FROM topics WHERE account_id = ? ORDER BY name",
  count: "SELECT count(*) AS count FROM topics WHERE account_id = ?",
  put: `INSERT INTO topics (account_id, name, record) VALUES (?, ?, ?)
    ON CONFLICT (account_id, name) DO UPDATE SET record = excluded.record`,
  remove: "DELETE FROM topics WHERE account_id = ? AND name = ?",
} as const;
