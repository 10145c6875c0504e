import type { AttemptRecord } from "../../core/model/attempt.ts";
import type { DeadLetterFilter } from "../../core/model/dead-letter-filter.ts";
import { type DeadLetter, deadLetterId, parseDeadLetterId } from "../../core/model/dead-letter.ts";
import { decodeFacts } from "../../core/model/facts.ts";
import type { LogFilter } from "../../core/model/log-filter.ts";
import type { LogEntry } from "../../core/model/log-entry.ts";
import type { Message } from "../../core/model/message.ts";
import { matchesDeadLetter } from "../../core/rules/matches-dead-letter.ts";
import { matchesLog } from "../../core/rules/matches-log.ts";
import { PageBuilder } from "../page.ts";
import {
  LOG_BODY_BYTES_MAX,
  type LoggedMessage,
  type Page,
  type PageRequest,
  type StoredDeadLetter,
} from "../reader.ts";
import { entriesInOrder, tellsOfAnswer, toAttemptRecord } from "../log-step.ts";
import { type Row, toDeadLetter } from "../rows.ts";
import { pairKey } from "../row-keys.ts";
import { columnsOf } from "./columns.ts";
import type { Connections } from "./connection.ts";
import type { Session } from "./conversation.ts";
import { deadLetterChunk, LIST_SQL, logChunk } from "./list-sql.ts";

/** Something listed whose bytes are not read yet: the page may turn out to be full before it. */
interface Found<Told> {
  readonly told: Told;
  readonly message: Message;
  /** The attempt that belongs to it; null for none. */
  readonly attempt: number | null;
}

/** Lists, newest first unless asked otherwise, filtered by the rules of the core. */
export class PostgresList {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  log(accountId: string, filter: LogFilter, page: PageRequest): Promise<Page<LoggedMessage>> {
    return this.#connections.read(async (session) => {
      const bytesMax = page.bodyBytesMax ?? LOG_BODY_BYTES_MAX;
      const chunk = (after: string | null, count: number) =>
        session.query(...logChunk(accountId, filter, { ...page, after, count }, bytesMax));
      const found = await collect(page, chunk, (row, after) =>
        foundInLog(row, filter, { ...page, after }),
      );
      const items = await withBytes(session, accountId, found.items, bytesMax);
      return {
        items: items.map(({ told, ...bytes }) => ({ entry: told, ...bytes })),
        next: found.next,
      };
    });
  }

  deadLetters(
    accountId: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<StoredDeadLetter>> {
    return this.#connections.read(async (session) => {
      const chunk = (after: string | null, count: number) => {
        const start = after === null ? null : parseDeadLetterId(accountId, after);
        return session.query(...deadLetterChunk(accountId, filter, { ...page, count }, start));
      };
      const found = await collect(page, chunk, (row) => [foundInDeadLetters(row, filter)]);
      const items = await withBytes(session, accountId, found.items, null);
      return {
        items: items.map(({ told, ...bytes }) => ({ deadLetter: told, ...bytes })),
        next: found.next,
      };
    });
  }
}

function foundInLog(row: Row, filter: LogFilter, page: PageRequest): Offer<LogEntry>[] {
  const message = row["facts"] === null ? null : decodeFacts(row["facts"] as string);
  const attemptBytes = row["attempt_bytes"] as number;
  return entriesInOrder(row, page).map(({ number, entry }) => {
    const position = String(number);
    if (message === null || !matchesLog(filter, entry, message)) return { position, found: null };
    const tells = tellsOfAnswer(entry.state);
    const bytes = (row["body_bytes"] as number) + (tells ? attemptBytes : 0);
    const attempt = tells ? (entry.attempt ?? 0) : null;
    return { position, found: { item: { told: entry, message, attempt }, bytes } };
  });
}

function foundInDeadLetters(row: Row, filter: DeadLetterFilter): Offer<DeadLetter> {
  const told = toDeadLetter(row);
  const position = deadLetterId(told);
  if (row["facts"] === null) return { position, found: null };
  const message = decodeFacts(row["facts"] as string);
  if (!matchesDeadLetter(filter, told, message)) return { position, found: null };
  const bytes = (row["body_bytes"] as number) + (row["attempt_bytes"] as number);
  return { position, found: { item: { told, message, attempt: told.attempt }, bytes } };
}

/** Something that a row holds, with its place in the list; null where the filter has no use for it. */
interface Offer<Told> {
  readonly position: string;
  readonly found: { readonly item: Found<Told>; readonly bytes: number } | null;
}

/** Fills a page from chunks of rows that grow while little is found. */
async function collect<Told>(
  page: PageRequest,
  chunk: (after: string | null, count: number) => Promise<Row[]>,
  read: (row: Row, after: string | null) => Offer<Told>[],
): Promise<Page<Found<Told>>> {
  const builder = new PageBuilder<Found<Told>>(page.count);
  let { after } = page;
  let count = Math.min(page.count + 1, CHUNK_MAX);
  for (;;) {
    const start = after;
    const rows = await chunk(start, count);
    for (const { position, found } of rows.flatMap((row) => read(row, start))) {
      if (!builder.offer(position, () => found)) return builder.finish();
      after = position;
    }
    if (rows.length < count) return builder.finish();
    count = Math.min(count * 4, CHUNK_MAX);
  }
}

/** Reads the bytes of what the page holds, and no others. */
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

const CHUNK_MAX = 2_000;
const WHOLE = 2 ** 31 - 2;
