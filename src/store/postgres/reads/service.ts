import type { ServiceRecord } from "../../../core/model/account/service-record.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import type { NodeRecord } from "../../node-facts.ts";
import { toNodeRecord, toServiceRecord } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";

export class ServiceReads implements NounReader<"service"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(): Promise<ServiceRecord> {
    const [row] = await this.#session.query(SQL.get);
    return toServiceRecord(row);
  }

  async nodes(): Promise<NodeRecord[]> {
    return (await this.#session.query(SQL.nodes)).map(toNodeRecord);
  }
}

const SQL = {
  get: "SELECT record FROM service",
  nodes: "SELECT node_id, renewed_at, is_paused, facts FROM nodes ORDER BY node_id",
} as const;
