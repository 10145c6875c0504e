import type { UrlGroup, UrlGroupKey } from "../../../core/model/url-group/url-group.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { toUrlGroup } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";

export class UrlGroupReads implements NounReader<"urlGroups"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get({ accountId, name }: UrlGroupKey): Promise<UrlGroup | null> {
    const [row] = await this.#session.query(SQL.get, [accountId, name]);
    return row ? toUrlGroup(row) : null;
  }

  async list(accountId: string): Promise<UrlGroup[]> {
    return (await this.#session.query(SQL.list, [accountId])).map(toUrlGroup);
  }
}

const SQL = {
  get: "SELECT record FROM url_groups WHERE account_id = $1 AND name = $2",
  list: "SELECT record FROM url_groups WHERE account_id = $1 ORDER BY name",
} as const;
