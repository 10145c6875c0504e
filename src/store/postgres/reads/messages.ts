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
import type { NounReader } from "../../reads/driver-reader.ts";
import { livePage, liveStatement } from "../../reads/live-page.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import {
  ENTRY_COLUMNS,
  entriesInOrder,
  tellsOfAnswer,
  toLogEntries,
} from "../../records/log-step.ts";
import { type Row, toDeadLetter, toMessageState } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";
import { isAt } from "../group/rows-by-key.ts";
import { collect, type Offer, withBytes } from "./stored-bytes.ts";

export class MessageReads implements NounReader<"messages"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(
    { accountId, messageId }: MessageKey,
    bodyBytesMax = WHOLE_BODY_BYTES,
  ): Promise<StoredMessage | null> {
    const key = [accountId, messageId];
    const [[facts], [state], [entry], [letter]] = await Promise.all([
      this.#session.query(SQL.facts, [...key, bodyBytesMax]),
      this.#session.query(SQL.state, key),
      this.#session.query(SQL.lastEntry, key),
      this.#session.query(SQL.letterOf, key),
    ]);
    if (facts === undefined) return null;
    return {
      message: decodeFacts(facts["facts"] as string),
      body: facts["body"] as Uint8Array,
      state: state ? toMessageState(state) : null,
      lastEntry: entry ? (toLogEntries(entry).at(-1)?.entry ?? null) : null,
      deadLetter: letter ? toDeadLetter(letter) : null,
    };
  }

  async settings(accountId: string, messageIds: readonly string[]): Promise<(Message | null)[]> {
    const rows = await this.#session.query(SQL.settings, [accountId, messageIds]);
    const found = new Map(rows.map((row) => [row["message_id"], row["facts"] as string]));
    return messageIds.map((messageId) => {
      const facts = found.get(messageId);
      return facts === undefined ? null : decodeFacts(facts);
    });
  }

  async callbacks({ accountId, messageId }: MessageKey, count: number): Promise<Message[]> {
    const rows = await this.#session.query(SQL.callbacks, [accountId, messageId, count]);
    return rows.map((row) => decodeFacts(row["facts"] as string));
  }

  async bodyPart(
    { accountId, messageId }: MessageKey,
    from: number,
    count: number,
  ): Promise<Uint8Array | null> {
    const [row] = await this.#session.query(SQL.bodyPart, [accountId, messageId, from + 1, count]);
    return row === undefined ? null : (row["body"] as Uint8Array);
  }

  async lastStates(accountId: string, messageIds: readonly string[]): Promise<(LogState | null)[]> {
    const rows = await this.#session.query(SQL.lastStates, [accountId, messageIds]);
    const states = new Map(rows.map((row) => [row["message_id"], row["state"] as LogState]));
    return messageIds.map((messageId) => states.get(messageId) ?? null);
  }

  async underWay(accountId: string): Promise<number> {
    const [row] = await this.#session.query(SQL.underWay, [accountId]);
    return row?.["count"] as number;
  }

  async lastLive(accountId: string): Promise<string | null> {
    const [row] = await this.#session.query(SQL.lastLive, [accountId]);
    return row?.["last"] as string | null;
  }

  async live(accountId: string, filter: AddressFilter, range: LiveRange): Promise<Page<string>> {
    const values = [accountId, range.after, range.upTo, LIVE_ROWS_READ_MAX];
    const statement = SQL[liveStatement(filter, range)];
    return livePage(await this.#session.query(statement, values), filter, range);
  }

  async log(
    accountId: string,
    filter: LogFilter,
    page: SliceRequest,
  ): Promise<Slice<LoggedMessage>> {
    const bytesMax = page.bodyBytesMax ?? LOG_BODY_BYTES_MAX;
    const rows = await this.#session.query(...logChunk(accountId, filter, page, bytesMax));
    const found = collect(page, rows, (row) => foundInLog(row, filter, page));
    const items = await withBytes(this.#session, accountId, found.items, bytesMax);
    return {
      ...found,
      items: items.map(({ told: { number, entry }, ...bytes }) => ({ number, entry, ...bytes })),
    };
  }
}

interface ToldEntry {
  readonly messageId: string;
  readonly number: number;
  readonly entry: LogEntry;
}

function foundInLog(row: Row, filter: LogFilter, page: SliceRequest): Offer<ToldEntry>[] {
  const message = row["facts"] === null ? null : decodeFacts(row["facts"] as string);
  const factsBytes = (row["facts"] as string | null)?.length ?? 0;
  const attemptBytes = row["attempt_bytes"] as number;
  return entriesInOrder(row, page).map(({ number, entry }) => {
    const position = String(number);
    if (message === null || !matchesLog(filter, entry, message)) return { position, found: null };
    const tells = tellsOfAnswer(entry.state);
    const bytes = factsBytes + (row["body_bytes"] as number) + (tells ? attemptBytes : 0);
    const attempt = tells ? (entry.attempt ?? 0) : null;
    const told = { messageId: entry.messageId, number, entry };
    return { position, found: { read: () => ({ told, message, attempt }), bytes } };
  });
}

/**
 * A number of log rows, by log_entries_message when messages are named, else by the primary key.
 * Rows of other states are returned without their facts, so that the rows a list reads are counted
 * and bounded.
 */
function logChunk(
  accountId: string,
  { messageIds, states }: LogFilter,
  { after, rowsMax, order }: SliceRequest,
  bytesMax: number,
): [text: string, values: unknown[]] {
  // An entry after the cursor may be in the same row as the cursor.
  const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">=", "ASC"];
  // `number + 0` makes the order of the primary key useless, so that the server does not search the
  // whole log for a few messages.
  const by = messageIds === undefined ? "number" : "number + 0";
  return [
    `SELECT ${ENTRY_COLUMNS}, f.facts,
       least(coalesce(octet_length(f.body), 0), $1) AS body_bytes, attempt_bytes
     FROM (
       SELECT *, coalesce(octet_length(headers), 0) + coalesce(octet_length(body), 0)
         AS attempt_bytes
       FROM log_entries WHERE account_id = $2
         ${after === null ? "AND $3::bigint IS NULL" : `AND number ${compare} $3`}
         ${messageIds === undefined ? "AND $4::text[] IS NULL" : "AND message_id = ANY ($4::text[])"}
       ORDER BY ${by} ${direction} LIMIT $5
     ) e
     LEFT JOIN LATERAL (
       SELECT facts, body FROM facts
       WHERE account_id = e.account_id AND message_id = e.message_id
         AND (e.state = ANY ($6::text[]) OR e.next_state = ANY ($6::text[]))
       OFFSET 0
     ) f ON true
     ORDER BY e.number ${direction}`,
    [
      bytesMax,
      accountId,
      after === null ? null : Number(after),
      messageIds ?? null,
      rowsMax,
      states ?? LOG_STATES,
    ],
  ];
}

const LIVE_IDS = `SELECT account_id, message_id FROM messages
  WHERE account_id = $1 AND message_id > $2 AND message_id <= $3 AND NOT cancel_requested
  ORDER BY message_id LIMIT $4`;

const SQL = {
  facts: `SELECT facts, substr(body, 1, $3) AS body FROM facts
    WHERE account_id = $1 AND message_id = $2`,
  settings: `SELECT k.message_id, f.facts FROM unnest($2::text[]) AS k (message_id)
    CROSS JOIN LATERAL (
      SELECT facts FROM facts WHERE account_id = $1 AND message_id = k.message_id OFFSET 0) f`,
  // facts_source, since no other index has this order.
  callbacks: `SELECT facts FROM facts WHERE source_id IS NOT NULL
      AND ${isAt(["account_id", "source_id"], ["$1", "$2"])}
    ORDER BY account_id DESC, source_id DESC, message_id DESC LIMIT $3`,
  bodyPart: `SELECT substr(body, $3, $4) AS body FROM facts
    WHERE account_id = $1 AND message_id = $2`,
  state: "SELECT * FROM messages WHERE account_id = $1 AND message_id = $2",
  // log_entries_message
  lastEntry: `SELECT ${ENTRY_COLUMNS} FROM log_entries e WHERE account_id = $1 AND message_id = $2
    ORDER BY number DESC LIMIT 1`,
  lastStates: `SELECT k.message_id, e.state FROM unnest($2::text[]) AS k (message_id)
    CROSS JOIN LATERAL (
      SELECT coalesce(next_state, state) AS state FROM log_entries
      WHERE account_id = $1 AND message_id = k.message_id
      ORDER BY number DESC LIMIT 1) AS e`,
  // dead_letters_message
  letterOf: "SELECT * FROM dead_letters WHERE account_id = $1 AND message_id = $2",
  // messages_leased: at most as many rows as there are slots, over all accounts.
  underWay: `SELECT count(*) AS count FROM messages
    WHERE node_id IS NOT NULL AND phase = 1 AND account_id = $1`,
  lastLive: "SELECT max(message_id) AS last FROM messages WHERE account_id = $1",
  // Both by their primary keys.
  liveIds: LIVE_IDS,
  liveStates: `SELECT s.*, f.facts FROM (${LIVE_IDS}) m
    JOIN messages s ON s.account_id = m.account_id AND s.message_id = m.message_id
    LEFT JOIN facts f ON f.account_id = m.account_id AND f.message_id = m.message_id
    ORDER BY m.message_id`,
  liveFacts: `SELECT m.message_id, f.facts FROM (${LIVE_IDS}) m
    LEFT JOIN facts f ON f.account_id = m.account_id AND f.message_id = m.message_id
    ORDER BY m.message_id`,
} as const;
