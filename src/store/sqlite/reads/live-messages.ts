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

const SQL = {
  last: "SELECT max(message_id) AS last FROM messages WHERE account_id = ?",
  // Both by their primary keys.
  ids: `SELECT message_id FROM messages
    WHERE account_id = ?1 AND message_id > ?2 AND message_id <= ?3 AND cancel_requested = 0
    ORDER BY message_id LIMIT ?4`,
  facts: `SELECT m.message_id, f.facts FROM messages m
    LEFT JOIN facts f ON f.account_id = m.account_id AND f.message_id = m.message_id
    WHERE m.account_id = ?1 AND m.message_id > ?2 AND m.message_id <= ?3
      AND m.cancel_requested = 0
    ORDER BY m.message_id LIMIT ?4`,
} as const;
