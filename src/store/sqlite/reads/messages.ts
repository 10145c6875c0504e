import type { StatementSync } from "node:sqlite";

import { decodeFacts } from "../../../core/model/message/facts.ts";
import { LOG_STATES, type LogEntry, type LogState } from "../../../core/model/message/log-entry.ts";
import { type AddressFilter, type LogFilter } from "../../../core/model/message/log-filter.ts";
import type { Message, MessageKey } from "../../../core/model/message/message.ts";
import { matchesLog } from "../../../core/views/matches-log.ts";
import {
  LIVE_ROWS_READ_MAX,
  type LiveRange,
  LOG_BODY_BYTES_MAX,
  type LoggedMessage,
  type StoredMessage,
  WHOLE_BODY_BYTES,
} from "../../reader/messages.ts";
import type { Page } from "../../reader/page.ts";
import { livePage, liveStatement } from "../../reads/live-page.ts";
import { type Candidate, PageBuilder } from "../../reads/page-builder.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import {
  ENTRY_COLUMNS,
  entriesInOrder,
  tellsOfAnswer,
  toLogEntries,
} from "../../records/log-step.ts";
import { type Row, toDeadLetter, toMessageState } from "../../records/rows.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";
import { OF_ACCOUNT } from "./of-account.ts";
import { ATTEMPT_BYTES, NO_BYTES, StoredBytes } from "./stored-bytes.ts";

export class MessageReads implements InThread<"messages"> {
  readonly #database: Database;
  readonly #bytes: StoredBytes;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#database = database;
    this.#bytes = new StoredBytes(database);
    this.#sql = prepareAll(database, SQL);
  }

  get(key: MessageKey, bodyBytesMax = WHOLE_BODY_BYTES): StoredMessage | null {
    const facts = this.#sql.factsStart.get(bodyBytesMax, key.accountId, key.messageId);
    if (facts === undefined) return null;
    const state = this.#sql.state.get(key.accountId, key.messageId);
    const entry = this.#sql.lastEntry.get(key.accountId, key.messageId);
    const letter = this.#sql.letterOf.get(key.accountId, key.messageId);
    return {
      message: decodeFacts(facts["facts"] as string),
      body: (facts["body"] as Uint8Array | null) ?? NO_BYTES,
      state: state ? toMessageState(state) : null,
      lastEntry: entry ? (toLogEntries(entry).at(-1)?.entry ?? null) : null,
      deadLetter: letter ? toDeadLetter(letter) : null,
    };
  }

  settings(accountId: string, messageIds: readonly string[]): (Message | null)[] {
    return messageIds.map((messageId) => {
      const row = this.#sql.settings.get(accountId, messageId);
      return row ? decodeFacts(row["facts"] as string) : null;
    });
  }

  callbacks({ accountId, messageId }: MessageKey, count: number): Message[] {
    const rows = this.#sql.callbacks.all(messageId, accountId, count);
    return rows.map((row) => decodeFacts(row["facts"] as string));
  }

  bodyPart({ accountId, messageId }: MessageKey, from: number, count: number): Uint8Array | null {
    const row = this.#sql.bodyPart.get(from + 1, count, accountId, messageId);
    return row === undefined ? null : ((row["body"] as Uint8Array | null) ?? NO_BYTES);
  }

  lastStates(accountId: string, messageIds: readonly string[]): (LogState | null)[] {
    return messageIds.map((messageId) => {
      const entry = this.#sql.lastEntry.get(accountId, messageId);
      return entry ? (toLogEntries(entry).at(-1)?.entry.state ?? null) : null;
    });
  }

  underWay(accountId: string): number {
    return this.#sql.underWay.get(accountId)?.["count"] as number;
  }

  lastLive(accountId: string): string | null {
    return this.#sql.lastLive.get(accountId)?.["last"] as string | null;
  }

  live(accountId: string, filter: AddressFilter, range: LiveRange): Page<string> {
    const { after, upTo } = range;
    const statement = this.#sql[liveStatement(filter, range)];
    const rows = statement.all(accountId, after, upTo, LIVE_ROWS_READ_MAX);
    return livePage(rows, filter, range);
  }

  log(accountId: string, filter: LogFilter, page: SliceRequest): Slice<LoggedMessage> {
    const builder = new PageBuilder<LoggedMessage>(page);
    for (const row of this.#logRows(accountId, filter, page)) {
      for (const { number, entry } of entriesInOrder(row, page)) {
        const find = () => this.#loggedIn(row, number, entry, filter, page);
        if (!builder.offer(String(number), find)) return builder.finish();
      }
    }
    return builder.finish();
  }

  #loggedIn(
    row: Row,
    number: number,
    entry: LogEntry,
    filter: LogFilter,
    { bodyBytesMax = LOG_BODY_BYTES_MAX }: SliceRequest,
  ): Candidate<LoggedMessage> | null {
    const facts = row["facts"] as string | null;
    if (facts === null) return null;
    const message = decodeFacts(facts);
    if (!matchesLog(filter, entry, message)) return null;
    const tells = tellsOfAnswer(entry.state);
    const answerBytes = tells ? (row["attempt_bytes"] as number) : 0;
    return {
      bytes: facts.length + Math.min(row["body_bytes"] as number, bodyBytesMax) + answerBytes,
      read: () => ({
        number,
        entry,
        message,
        body: this.#bytes.bodyStart(entry, bodyBytesMax),
        attempt: tells ? this.#bytes.attempt(entry, entry.attempt ?? 0) : null,
      }),
    };
  }

  /**
   * By log_entries_message when messages are named, else by log_entries_account. Rows of other states
   * are returned without their facts, so that the rows a list reads are bounded.
   */
  #logRows(accountId: string, filter: LogFilter, page: SliceRequest): Iterable<Row> {
    const [compare, direction] = page.order === "latestFirst" ? ["<", "DESC"] : [">=", "ASC"];
    const named = filter.messageIds;
    // `+number` keeps SQLite from reading the whole log in its order to find a few messages.
    const number = named === undefined ? "number" : "+number";
    const conditions = [named === undefined ? OF_ACCOUNT : "account_id = ?1"];
    const values: (string | number)[] = [accountId];
    const add = (value: string | number): string => `?${values.push(value)}`;
    const addAll = (added: readonly string[]): string => `IN (${added.map(add).join(", ")})`;
    if (page.after !== null) conditions.push(`${number} ${compare} ${add(Number(page.after))}`);
    if (named !== undefined) conditions.push(`message_id ${addAll(named)}`);
    const among = addAll(filter.states ?? LOG_STATES);
    return this.#database
      .prepare(
        `SELECT ${ENTRY_COLUMNS}, f.facts, octet_length(f.body) AS body_bytes,
           ${ATTEMPT_BYTES} AS attempt_bytes
         FROM (SELECT * FROM log_entries WHERE ${conditions.join(" AND ")}) AS e
         LEFT JOIN facts f ON f.account_id = e.account_id AND f.message_id = e.message_id
           AND (e.state ${among} OR e.next_state ${among})
         ORDER BY ${number.replace("number", "e.number")} ${direction}`,
      )
      .iterate(...values);
  }
}

/** messages_leased: at most as many rows as there are slots, over all accounts. */
const LEASED_OF_ACCOUNT = "node_id IS NOT NULL AND phase = 1 AND account_id = ?1";
const IN_RANGE = "message_id > ?2 AND message_id <= ?3 AND cancel_requested = 0";
/** messages_account, messages_leased */
const LIVE_IDS = `SELECT message_id FROM messages WHERE account_id = ?1 AND phase = 0 AND ${IN_RANGE}
  UNION ALL
  SELECT message_id FROM messages INDEXED BY messages_leased WHERE ${LEASED_OF_ACCOUNT} AND ${IN_RANGE}
  ORDER BY message_id LIMIT ?4`;

const SQL = {
  factsStart: `SELECT facts, substr(body, 1, ?) AS body FROM facts
    WHERE account_id = ? AND message_id = ?`,
  settings: "SELECT facts FROM facts WHERE account_id = ? AND message_id = ?",
  // facts_source
  callbacks: `SELECT facts FROM facts WHERE source_id = ? AND account_id = ?
    ORDER BY message_id DESC LIMIT ?`,
  bodyPart: `SELECT substr(body, ?, ?) AS body FROM facts
    WHERE account_id = ? AND message_id = ?`,
  state: "SELECT * FROM messages WHERE account_id = ? AND message_id = ?",
  // log_entries_message
  lastEntry: `SELECT ${ENTRY_COLUMNS} FROM log_entries e WHERE account_id = ? AND message_id = ?
    ORDER BY number DESC LIMIT 1`,
  // dead_letters_message
  letterOf: "SELECT * FROM dead_letters WHERE account_id = ? AND message_id = ?",
  underWay: `SELECT count(*) AS count FROM messages INDEXED BY messages_leased
    WHERE ${LEASED_OF_ACCOUNT}`,
  lastLive: `SELECT max(last) AS last FROM (
      SELECT max(message_id) AS last FROM messages WHERE account_id = ?1 AND phase = 0
      UNION ALL SELECT max(message_id) FROM messages WHERE ${LEASED_OF_ACCOUNT})`,
  liveIds: LIVE_IDS,
  liveFacts: `SELECT live.message_id, f.facts FROM (${LIVE_IDS}) AS live
    LEFT JOIN facts AS f ON f.message_id = live.message_id AND f.account_id = ?1
    ORDER BY live.message_id`,
  liveStates: `SELECT m.*, f.facts FROM (${LIVE_IDS}) AS live
    JOIN messages AS m ON m.account_id = ?1 AND m.message_id = live.message_id
    LEFT JOIN facts AS f ON f.message_id = live.message_id AND f.account_id = ?1
    ORDER BY live.message_id`,
} as const;
