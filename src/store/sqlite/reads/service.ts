import type { StatementSync } from "node:sqlite";

import type { ServiceRecord } from "../../../core/model/account/service-record.ts";
import type { NodeRecord } from "../../node-facts.ts";
import type { Durability } from "../../reader/service.ts";
import { toNodeRecord, toServiceRecord } from "../../records/rows.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class ServiceReads implements InThread<"service"> {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  get(): ServiceRecord {
    return toServiceRecord(this.#sql.get.get());
  }

  /** On SQLite there is one node, and perhaps one that was killed. */
  nodes(): NodeRecord[] {
    return this.#sql.nodes.all().map(toNodeRecord);
  }

  durability(): Durability {
    return "disk";
  }
}

const SQL = {
  get: "SELECT record FROM service",
  nodes: "SELECT node_id, renewed_at, is_paused, facts FROM nodes ORDER BY node_id",
} as const;
