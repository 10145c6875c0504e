import { decodeFacts } from "../../core/model/message/settings.ts";
import { LOG_STATES, type LogState } from "../../core/model/message/log-entry.ts";
import { type LiveFilter, isOpen, type LogFilter } from "../../core/model/message/log-filter.ts";
import type { Message } from "../../core/model/message/message.ts";
import {
  matchesLive,
  matchesLog,
  waitsFor,
  wouldChange,
} from "../../core/views/matches-message.ts";
import {
  LIVE_ROWS_READ_MAX,
  type LiveRange,
  LOG_BODY_BYTES_MAX,
  type LoggedMessage,
  WHOLE_BODY_BYTES,
} from "../reader/messages.ts";
import type { Page, PageRequest } from "../reader/page.ts";
import { ENTRY_COLUMNS, entriesInOrder, tellsOfAnswer, toLogEntries } from "../records/log-step.ts";
import { bytesIn, type Row, toDeadLetter, toMessageState } from "../records/rows.ts";
import { all, each, firstRows, type Noun, only, type Reading, rowsOf, keysOf } from "./reading.ts";
import { bodyPart, wholeBodies } from "./body-pieces.ts";
import type { Slice, SliceRequest } from "./slices.ts";
import {
  collect,
  type Offer,
  type Sized,
  STORED_BYTES_SQL,
  type StoredBytesSql,
  withBytes,
} from "./stored-bytes.ts";

export interface MessageSql extends StoredBytesSql {
  readonly callbacks: string;
  readonly underWay: string;
  readonly lastLive: string;
  /** Ids after `$2` and up to `$3`, in order, at most `$4`. */
  readonly liveIds: string;
  /**
   * Rows of the log after `$2`, at most `$3`, of the messages `$5` when they are named. Those of other
   * states than `$4` are returned without their facts, so that the rows a list reads are bounded.
   */
  readonly log: (order: PageRequest["order"], isNamed: boolean) => string;
}

const OF_MESSAGE = "WHERE account_id = $1 AND message_id = $2";

function allSql(own: MessageSql) {
  return {
    ...own,
    ...STORED_BYTES_SQL,
    settings: `SELECT facts FROM facts ${OF_MESSAGE}`,
    state: `SELECT * FROM messages ${OF_MESSAGE}`,
    // log_entries_message
    lastEntry: `SELECT ${ENTRY_COLUMNS} FROM log_entries e ${OF_MESSAGE}
      ORDER BY number DESC LIMIT 1`,
    lastState: `SELECT coalesce(next_state, state) AS state FROM log_entries ${OF_MESSAGE}
      ORDER BY number DESC LIMIT 1`,
    // dead_letters_message
    letterOf: `SELECT * FROM dead_letters ${OF_MESSAGE}`,
    liveFacts: `SELECT live.message_id, f.facts FROM (${own.liveIds}) AS live
      LEFT JOIN facts AS f ON f.account_id = $1 AND f.message_id = live.message_id
      ORDER BY live.message_id`,
    liveStates: `SELECT m.*, f.facts FROM (${own.liveIds}) AS live
      JOIN messages AS m ON m.account_id = $1 AND m.message_id = live.message_id
      LEFT JOIN facts AS f ON f.account_id = $1 AND f.message_id = live.message_id
      ORDER BY live.message_id`,
  } as const;
}

export function messageReads(own: MessageSql): Noun<"messages"> {
  const sql = allSql(own);
  return {
    sql,
    reads: {
      *get({ accountId, messageId }, bodyBytesMax = WHOLE_BODY_BYTES) {
        const values = [accountId, messageId];
        const [facts, state, entry, letter] = yield* firstRows(
          { text: sql.facts, values: [...values, bodyBytesMax] },
          { text: sql.state, values },
          { text: sql.lastEntry, values },
          { text: sql.letterOf, values },
        );
        if (facts === undefined) return null;
        const message = messageIn(facts);
        const found = { message, body: bytesIn(facts["body"]) };
        const [body] = yield* wholeBodies([found], bodyBytesMax);
        return {
          message,
          body: body!,
          state: state ? toMessageState(state) : null,
          lastEntry: entry ? (toLogEntries(entry).at(-1)?.entry ?? null) : null,
          deadLetter: letter ? toDeadLetter(letter) : null,
        };
      },
      settings: (accountId, messageIds) =>
        each(sql.settings, keysOf(accountId, messageIds), messageIn),
      callbacks: ({ accountId, messageId }, count) =>
        all(sql.callbacks, [accountId, messageId, count], messageIn),
      *bodyPart({ accountId, messageId }, from, count) {
        const [message] = yield* each(sql.settings, [[accountId, messageId]], messageIn);
        return message ? yield* bodyPart(message, from, count) : null;
      },
      lastStates: (accountId, messageIds) =>
        each(sql.lastState, keysOf(accountId, messageIds), (row) => row["state"] as LogState),
      underWay: (accountId) => only(sql.underWay, [accountId], (row) => row["count"] as number),
      lastLive: (accountId) =>
        only(sql.lastLive, [accountId], (row) => row["last"] as string | null),
      *live(accountId, filter, range) {
        const { after, upTo, target, waiting } = range;
        // An action needs states, and a filter facts.
        const plain = isOpen(filter) ? sql.liveIds : sql.liveFacts;
        const text = target === undefined && waiting === undefined ? plain : sql.liveStates;
        const rows = yield* rowsOf(text, [accountId, after, upTo, LIVE_ROWS_READ_MAX]);
        return livePage(rows, filter, range);
      },
      log: (accountId, filter, page) => readLog(sql, accountId, filter, page),
    },
  };
}

function* readLog(
  sql: MessageSql,
  accountId: string,
  filter: LogFilter,
  page: SliceRequest,
): Reading<Slice<LoggedMessage>> {
  const { bodyBytesMax = LOG_BODY_BYTES_MAX, order, rowsMax } = page;
  const { messageIds, states = LOG_STATES } = filter;
  const start = order === "latestFirst" ? Number.MAX_SAFE_INTEGER : 0;
  const after = page.after === null ? start : Number(page.after);
  const named = messageIds === undefined ? [] : [messageIds];
  const text = sql.log(order, messageIds !== undefined);
  const rows = yield* rowsOf(text, [accountId, after, rowsMax, states, ...named]);
  const found = collect(page, rows, (row) => loggedIn(row, filter, page, bodyBytesMax));
  const items = yield* withBytes(sql, found.items, bodyBytesMax);
  return { ...found, items: items.map(({ item, ...bytes }) => ({ ...item, ...bytes })) };
}

type Logged = Pick<LoggedMessage, "number" | "entry">;

function loggedIn(
  row: Row,
  filter: LogFilter,
  page: SliceRequest,
  bodyBytesMax: number,
): Offer<Sized<Logged>>[] {
  const message = row["facts"] === null ? null : messageIn(row);
  return entriesInOrder(row, page).map(({ number, entry }) => {
    const position = String(number);
    if (message === null || !matchesLog(filter, entry, message)) return { position, found: null };
    const attempt = tellsOfAnswer(entry.state) ? (entry.attempt ?? 0) : null;
    const bytes =
      (row["facts"] as string).length +
      Math.min((message.ahead?.bytes ?? 0) + (row["body_bytes"] as number), bodyBytesMax) +
      (attempt === null ? 0 : (row["attempt_bytes"] as number));
    return {
      position,
      found: { bytes, read: () => ({ item: { number, entry }, message, attempt }) },
    };
  });
}

/** The matching ids among the rows read, and where to continue. */
function livePage(
  rows: readonly Row[],
  filter: LiveFilter,
  { count, target, waiting }: LiveRange,
): Page<string> {
  const open = isOpen(filter);
  const items: string[] = [];
  for (const row of rows) {
    if (!open && !matchesRow(filter, row)) continue;
    if (target !== undefined && !wouldChange(target, toMessageState(row))) continue;
    if (waiting !== undefined && !waitsFor(waiting, toMessageState(row))) continue;
    items.push(row["message_id"] as string);
    if (items.length === count) return { items, next: items.at(-1)! };
  }
  const isLast = rows.length < LIVE_ROWS_READ_MAX;
  return { items, next: isLast ? null : (rows.at(-1)!["message_id"] as string) };
}

function matchesRow(filter: LiveFilter, row: Row): boolean {
  return row["facts"] !== null && matchesLive(filter, messageIn(row));
}

function messageIn(row: Row): Message {
  return decodeFacts(row["facts"] as string);
}
