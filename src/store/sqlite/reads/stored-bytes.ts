import type { StatementSync } from "node:sqlite";

import type { AttemptRecord } from "../../../core/model/message/attempt.ts";
import type { MessageKey } from "../../../core/model/message/message.ts";
import { toAttemptRecord } from "../../records/log-step.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** The size of an attempt's response; the length of a body is known without reading it. */
export const ATTEMPT_BYTES =
  "coalesce(octet_length(e.headers), 0) + coalesce(octet_length(e.body), 0)";
export const NO_BYTES = new Uint8Array(0);

/** The large columns of a message, which are read once the message is known to be wanted. */
export class StoredBytes {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  bodyStart(key: MessageKey, bytesMax: number): Uint8Array {
    const row = this.#sql.bodyStart.get(bytesMax, key.accountId, key.messageId);
    // SQLite's substr of an empty blob is NULL.
    return (row?.["body"] as Uint8Array | null | undefined) ?? NO_BYTES;
  }

  attempt(key: MessageKey, number: number): AttemptRecord | null {
    const row = this.#sql.attempt.get(key.accountId, key.messageId, number);
    return row ? toAttemptRecord(row) : null;
  }
}

const SQL = {
  bodyStart: `SELECT substr(body, 1, ?) AS body FROM facts
    WHERE account_id = ? AND message_id = ?`,
  attempt: `SELECT * FROM log_entries WHERE account_id = ? AND message_id = ? AND attempt = ?
    AND started_at IS NOT NULL`,
} as const;
