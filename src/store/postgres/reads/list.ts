import type { AttemptRecord } from "../../../core/model/message/attempt.ts";
import type { DeadLetterFilter } from "../../../core/model/message/dead-letter-filter.ts";
import {
  type DeadLetter,
  deadLetterId,
  parseDeadLetterId,
} from "../../../core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../core/model/message/facts.ts";
import type { LogFilter } from "../../../core/model/message/log-filter.ts";
import type { LogEntry } from "../../../core/model/message/log-entry.ts";
import type { Message } from "../../../core/model/message/message.ts";
import { matchesDeadLetter } from "../../../core/views/matches-dead-letter.ts";
import { matchesLog } from "../../../core/views/matches-log.ts";
import { type Candidate, PageBuilder } from "../../reads/page.ts";
import {
  LOG_BODY_BYTES_MAX,
  type LoggedMessage,
  type PageRequest,
  type Slice,
  type SliceRequest,
  type StoredDeadLetter,
} from "../../reader.ts";
import { entriesInOrder, tellsOfAnswer, toAttemptRecord } from "../../records/log-step.ts";
import { type Row, toDeadLetter } from "../../records/rows.ts";
import { pairKey } from "../../group/row-keys.ts";
import { columnsOf } from "../group/columns.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { deadLetterChunk, LIST_SQL, logChunk } from "./list-sql.ts";

/** A list entry whose bytes are not read yet: the page may be full before it. */
interface Found<Told> {
  readonly told: Told;
  readonly message: Message;
  /** Its attempt; null for none. */
  readonly attempt: number | null;
}

/** Lists, newest first unless asked otherwise, filtered by the rules of the core. */
export class PostgresList {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  log(accountId: string, filter: LogFilter, page: SliceRequest): Promise<Slice<LoggedMessage>> {
    return this.#connections.read(async (session) => {
      const bytesMax = page.bodyBytesMax ?? LOG_BODY_BYTES_MAX;
      const rows = await session.query(...logChunk(accountId, filter, page, bytesMax));
      const found = collect(page, rows, (row) => foundInLog(row, filter, page));
      const items = await withBytes(session, accountId, found.items, bytesMax);
      return { ...found, items: items.map(({ told, ...bytes }) => ({ entry: told, ...bytes })) };
    });
  }

  deadLetters(
    accountId: string,
    filter: DeadLetterFilter,
    page: SliceRequest,
  ): Promise<Slice<StoredDeadLetter>> {
    return this.#connections.read(async (session) => {
      const start = page.after === null ? null : parseDeadLetterId(accountId, page.after);
      const rows = await session.query(...deadLetterChunk(accountId, filter, page, start));
      const found = collect(page, rows, (row) => [foundInDeadLetters(row, filter)]);
      const items = await withBytes(session, accountId, found.items, null);
      return {
        ...found,
        items: items.map(({ told, ...bytes }) => ({ deadLetter: told, ...bytes })),
      };
    });
  }
}

function foundInLog(row: Row, filter: LogFilter, page: PageRequest): Offer<LogEntry>[] {
  const message = row["facts"] === null ? null : decodeFacts(row["facts"] as string);
  const factsBytes = (row["facts"] as string | null)?.length ?? 0;
  const attemptBytes = row["attempt_bytes"] as number;
  return entriesInOrder(row, page).map(({ number, entry }) => {
    const position = String(number);
    if (message === null || !matchesLog(filter, entry, message)) return { position, found: null };
    const tells = tellsOfAnswer(entry.state);
    const bytes = factsBytes + (row["body_bytes"] as number) + (tells ? attemptBytes : 0);
    const attempt = tells ? (entry.attempt ?? 0) : null;
    return { position, found: { read: () => ({ told: entry, message, attempt }), bytes } };
  });
}

function foundInDeadLetters(row: Row, filter: DeadLetterFilter): Offer<DeadLetter> {
  const told = toDeadLetter(row);
  const position = deadLetterId(told);
  if (row["facts"] === null) return { position, found: null };
  const message = decodeFacts(row["facts"] as string);
  if (!matchesDeadLetter(filter, told, message)) return { position, found: null };
  const bodies = (row["body_bytes"] as number) + (row["attempt_bytes"] as number);
  const bytes = (row["facts"] as string).length + bodies;
  return { position, found: { read: () => ({ told, message, attempt: told.attempt }), bytes } };
}

/** An entry of a row with its cursor; null when the filter rejects it. */
interface Offer<Told> {
  readonly position: string;
  readonly found: Candidate<Found<Told>> | null;
}

/** Fills a part of a page from the rows that were read for it. */
function collect<Told>(
  page: SliceRequest,
  rows: readonly Row[],
  read: (row: Row) => Offer<Told>[],
): Slice<Found<Told>> {
  // A row may hold two entries: the statement counts the rows.
  const builder = new PageBuilder<Found<Told>>({ ...page, rowsMax: Infinity });
  for (const { position, found } of rows.flatMap(read)) {
    if (!builder.offer(position, () => found)) return builder.finish();
  }
  return rows.length < page.rowsMax ? builder.finish() : builder.finishEarly();
}

/** Reads the bytes of the entries on the page, and no others. */
async function withBytes<Told extends { readonly messageId: string }>(
  session: Session,
  accountId: string,
  found: readonly Found<Told>[],
  bytesMax: number | null,
): Promise<{ told: Told; message: Message; body: Uint8Array; attempt: AttemptRecord | null }[]> {
  if (found.length === 0) return [];
  const ids = [...new Set(found.map(({ told }) => told.messageId))];
  const tries = columnsOf(
    found.filter(({ attempt }) => attempt !== null),
    ({ told }) => told.messageId,
    ({ attempt }) => attempt,
  );
  const [bodyRows, attemptRows] = await Promise.all([
    session.query(LIST_SQL.bodies, [accountId, ids, bytesMax ?? WHOLE]),
    session.query(LIST_SQL.attempts, [accountId, ...tries]),
  ]);
  const bodies = new Map(
    bodyRows.map((row) => [row["message_id"] as string, row["body"] as Uint8Array]),
  );
  const attempts = new Map(
    attemptRows.map((row) => {
      const attempt = toAttemptRecord(row);
      return [pairKey(attempt.messageId, String(attempt.number)), attempt];
    }),
  );
  return found.map(({ told, message, attempt }) => ({
    told,
    message,
    body: bodies.get(told.messageId) ?? new Uint8Array(),
    attempt: attempts.get(pairKey(told.messageId, String(attempt))) ?? null,
  }));
}

const WHOLE = 2 ** 31 - 2;
