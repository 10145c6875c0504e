import type { ServiceRecord } from "../../../core/model/account/service-record.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import type { NodeRecord } from "../../node-facts.ts";
import type { Durability } from "../../reader/service.ts";
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

  /** Our own transactions set synchronous_commit, so only the names of standbys decide. */
  async durability(): Promise<Durability> {
    const [row] = await this.#session.query(SQL.standbys);
    return row?.["names"] === "" ? "primary" : "standby";
  }
}

const SQL = {
  get: "SELECT record FROM service",
  nodes: "SELECT node_id, renewed_at, is_paused, facts FROM nodes ORDER BY node_id",
  standbys: "SELECT trim(current_setting('synchronous_standby_names')) AS names",
} as const;
