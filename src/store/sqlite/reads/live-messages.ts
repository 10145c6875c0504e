import type { StatementSync } from "node:sqlite";

import { type AddressFilter, isOpen } from "../../../core/model/message/log-filter.ts";
import { livePage } from "../../reads/live-page.ts";
import { LIVE_ROWS_READ_MAX, type LiveRange, type Page } from "../../reader.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Messages that have neither ended nor been canceled, by id. */
export class LiveMessages {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  last(accountId: string): string | null {
    return this.#sql.last.get(accountId)?.["last"] as string | null;
  }

  list(accountId: string, filter: AddressFilter, range: LiveRange): Page<string> {
    const { after, upTo, count } = range;
    const statement = isOpen(filter) ? this.#sql.ids : this.#sql.facts;
    const rows = statement.all(accountId, after, upTo, LIVE_ROWS_READ_MAX);
    return livePage(rows, filter, count);
  }
}

/** messages_leased: at most as many rows as there are slots, over all accounts. */
const ACTIVE = "node_id IS NOT NULL AND phase = 1 AND account_id = ?1";
const IN_RANGE = "message_id > ?2 AND message_id <= ?3 AND cancel_requested = 0";
/** messages_account, messages_leased */
const IDS = `SELECT message_id FROM messages WHERE account_id = ?1 AND phase = 0 AND ${IN_RANGE}
  UNION ALL
  SELECT message_id FROM messages INDEXED BY messages_leased WHERE ${ACTIVE} AND ${IN_RANGE}
  ORDER BY message_id LIMIT ?4`;

const SQL = {
  last: `SELECT max(last) AS last FROM (
      SELECT max(message_id) AS last FROM messages WHERE account_id = ?1 AND phase = 0
      UNION ALL SELECT max(message_id) FROM messages WHERE ${ACTIVE})`,
  ids: IDS,
  facts: `SELECT live.message_id, f.facts FROM (${IDS}) AS live
    LEFT JOIN facts AS f ON f.message_id = live.message_id AND f.account_id = ?1
    ORDER BY live.message_id`,
} as const;
