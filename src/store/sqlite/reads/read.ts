import type { StatementSync } from "node:sqlite";

import type { AttemptRecord } from "../../../core/model/message/attempt.ts";
import type { DeadLetter, DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../core/model/message/facts.ts";
import type { LogState } from "../../../core/model/message/log-entry.ts";
import type { Message, MessageKey } from "../../../core/model/message/message.ts";
import type { Lease } from "../../../core/model/message/message-state.ts";
import type { Candidate } from "../../reads/page.ts";
import {
  type Counts,
  type Size,
  type StoredDeadLetter,
  type StoredMessage,
  WHOLE_BODY_BYTES,
} from "../../reader.ts";
import { ENTRY_COLUMNS, toAttemptRecord, toLogEntries } from "../../records/log-step.ts";
import { type Row, toDeadLetter, toMessageState } from "../../records/rows.ts";
import type { ClaimedLease } from "../../claim-budget.ts";
import type { LeasedMessage } from "../../store.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { ReadRuns } from "./read-runs.ts";

/** Reads single records. Synchronous: it runs in a thread, on a connection of its own. */
export class SqliteRead {
  readonly #runs: ReadRuns;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database, runs: ReadRuns) {
    this.#runs = runs;
    this.#sql = prepareAll(database, SQL);
  }

  message(key: MessageKey, bodyBytesMax = WHOLE_BODY_BYTES): StoredMessage | null {
    const facts = this.#sql.factsStart.get(bodyBytesMax, key.accountId, key.messageId);
    if (facts === undefined) return null;
    const state = this.#sql.state.get(key.accountId, key.messageId);
    const entry = this.#sql.lastEntry.get(key.accountId, key.messageId);
    const letter = this.#sql.letterOf.get(key.accountId, key.messageId);
    return {
      ...toMessageAndBody(facts),
      state: state ? toMessageState(state) : null,
      lastEntry: entry ? (toLogEntries(entry).at(-1)?.entry ?? null) : null,
      deadLetter: letter ? toDeadLetter(letter) : null,
    };
  }

  lastStates(accountId: string, messageIds: readonly string[]): (LogState | null)[] {
    return messageIds.map((messageId) => {
      const entry = this.#sql.lastEntry.get(accountId, messageId);
      return entry ? (toLogEntries(entry).at(-1)?.entry.state ?? null) : null;
    });
  }

  bodyPart({ accountId, messageId }: MessageKey, from: number, count: number): Uint8Array | null {
    const row = this.#sql.bodyPart.get(from + 1, count, accountId, messageId);
    return row === undefined ? null : ((row["body"] as Uint8Array | null) ?? NO_BYTES);
  }

  deadLetter(key: DeadLetterKey, bodyBytesMax?: number): StoredDeadLetter | null {
    return this.findDeadLetter(key, () => true, bodyBytesMax)?.read() ?? null;
  }

  /** Large columns are read only once the dead letter is known to match. */
  findDeadLetter(
    key: DeadLetterKey,
    matches: (deadLetter: DeadLetter, message: Message) => boolean = () => true,
    bodyBytesMax = WHOLE_BODY_BYTES,
  ): Candidate<StoredDeadLetter> | null {
    const row = this.#sql.deadLetter.get(key.accountId, key.diedAt, key.number);
    if (row === undefined) return null;
    const deadLetter = toDeadLetter(row);
    const { accountId, messageId } = deadLetter;
    const facts = this.#sql.message.get(accountId, messageId);
    if (facts === undefined) return null;
    const factsText = facts["facts"] as string;
    const message = decodeFacts(factsText);
    if (!matches(deadLetter, message)) return null;
    const attemptBytes = this.#sql.attemptBytes.get(accountId, messageId, deadLetter.attempt);
    return {
      bytes:
        factsText.length +
        (facts["body_bytes"] as number) +
        ((attemptBytes?.["attempt_bytes"] as number | undefined) ?? 0),
      read: () => ({
        deadLetter,
        message,
        body: this.bodyStart(deadLetter, bodyBytesMax),
        attempt: this.attempt(deadLetter, deadLetter.attempt),
      }),
    };
  }

  attempt(key: MessageKey, number: number): AttemptRecord | null {
    const row = this.#sql.attempt.get(key.accountId, key.messageId, number);
    return row ? toAttemptRecord(row) : null;
  }

  bodyStart(key: MessageKey, bytesMax: number): Uint8Array {
    const row = this.#sql.bodyStart.get(bytesMax, key.accountId, key.messageId);
    // SQLite's substr of an empty blob is NULL.
    return (row?.["body"] as Uint8Array | null | undefined) ?? NO_BYTES;
  }

  leases(nodeId: string, leasedBefore: number): Lease[] {
    return this.#sql.leases.all(nodeId, leasedBefore).map((row) => ({
      accountId: row["account_id"] as string,
      messageId: row["message_id"] as string,
      fence: row["fence"] as number,
    }));
  }

  underWay(accountId: string): number {
    return this.#sql.underWay.get(accountId)?.["count"] as number;
  }

  counts(): Counts {
    const row = this.#sql.counts.get();
    return { waiting: row?.["waiting"] as number, active: row?.["active"] as number };
  }

  size(): Size {
    return { usedBytes: this.#sql.size.get()?.["used_bytes"] as number };
  }

  /** Leased messages with all that is needed to send them. */
  leased(claimed: readonly ClaimedLease[]): LeasedMessage[] {
    return claimed.flatMap(({ accountId, messageId, fence, host, attempts }) => {
      const facts = this.#sql.facts.get(accountId, messageId);
      if (facts === undefined) return [];
      const lease = { accountId, messageId, fence };
      const { message, body } = toMessageAndBody(facts);
      return [{ lease, message, body: this.#runs.sent(message, body), host, attempts }];
    });
  }
}

function toMessageAndBody(row: Row): { message: Message; body: Uint8Array } {
  const body = row["body"] as Uint8Array | null;
  return { message: decodeFacts(row["facts"] as string), body: body ?? NO_BYTES };
}

/** The size of an attempt's response; the length of a body is known without reading it. */
export const ATTEMPT_BYTES =
  "coalesce(octet_length(e.headers), 0) + coalesce(octet_length(e.body), 0)";
const NO_BYTES = new Uint8Array(0);
const SQL = {
  facts: "SELECT facts, body FROM facts WHERE account_id = ? AND message_id = ?",
  factsStart: `SELECT facts, substr(body, 1, ?) AS body FROM facts
    WHERE account_id = ? AND message_id = ?`,
  bodyPart: `SELECT substr(body, ?, ?) AS body FROM facts
    WHERE account_id = ? AND message_id = ?`,
  message: `SELECT facts, octet_length(body) AS body_bytes FROM facts
    WHERE account_id = ? AND message_id = ?`,
  bodyStart: `SELECT substr(body, 1, ?) AS body FROM facts
    WHERE account_id = ? AND message_id = ?`,
  state: "SELECT * FROM messages WHERE account_id = ? AND message_id = ?",
  // log_entries_message
  lastEntry: `SELECT ${ENTRY_COLUMNS} FROM log_entries e WHERE account_id = ? AND message_id = ?
    ORDER BY number DESC LIMIT 1`,
  deadLetter: "SELECT * FROM dead_letters WHERE account_id = ? AND died_at = ? AND number = ?",
  // dead_letters_message
  letterOf: "SELECT * FROM dead_letters WHERE account_id = ? AND message_id = ?",
  attempt: `SELECT * FROM log_entries WHERE account_id = ? AND message_id = ? AND attempt = ?
    AND started_at IS NOT NULL`,
  attemptBytes: `SELECT ${ATTEMPT_BYTES} AS attempt_bytes FROM log_entries e
    WHERE account_id = ? AND message_id = ? AND attempt = ? AND started_at IS NOT NULL`,
  // messages_leased
  leases: `SELECT account_id, message_id, fence FROM messages
    WHERE phase = 1 AND node_id = ? AND leased_at < ?`,
  // messages_leased: at most as many rows as there are slots, over all accounts.
  underWay: `SELECT count(*) AS count FROM messages INDEXED BY messages_leased
    WHERE node_id IS NOT NULL AND phase = 1 AND account_id = ?`,
  size: `SELECT (page_count - freelist_count) * page_size AS used_bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  // messages_leased
  counts: `SELECT active, everything - active AS waiting FROM (
    SELECT (SELECT count(*) FROM messages WHERE node_id IS NOT NULL) AS active,
      (SELECT count(*) FROM messages) AS everything)`,
} as const;
