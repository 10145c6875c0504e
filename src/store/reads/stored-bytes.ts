import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import type { Message, MessageKey } from "../../core/model/message/message.ts";
import { WHOLE_BODY_BYTES } from "../reader/messages.ts";
import { toAttemptRecord } from "../records/log-step.ts";
import { bytesIn, type Row } from "../records/rows.ts";
import { PIECES_SQL, wholeBodies } from "./body-pieces.ts";
import { type Candidate, PageBuilder, type Slice, type SliceRequest } from "./slices.ts";
import type { Key, Reading } from "./reading.ts";

export interface StoredBytesSql {
  /** An attempt by the message and its number. */
  readonly attempt: string;
}

/** The statements that every noun with stored bytes has. */
export const STORED_BYTES_SQL = {
  facts: `SELECT facts, substr(body, 1, $3) AS body FROM facts
    WHERE account_id = $1 AND message_id = $2`,
  body: `SELECT substr(body, 1, $3) AS body FROM facts WHERE account_id = $1 AND message_id = $2`,
  ...PIECES_SQL,
} as const;

/** An entry of a list whose bytes are not read yet: the page may be full before it. */
export interface Sized<Item> {
  readonly item: Item;
  readonly message: Message;
  /** Its attempt; null for none. */
  readonly attempt: number | null;
}

/** An entry of a row with its cursor; null when the filter rejects it. */
export interface Offer<Item> {
  readonly position: string;
  readonly found: Candidate<Item> | null;
}

/** Fills a part of a page from the rows that were read for it. */
export function collect<Item>(
  page: SliceRequest,
  rows: readonly Row[],
  read: (row: Row) => readonly Offer<Item>[],
): Slice<Item> {
  // A row may hold two entries: the statement counts the rows.
  const builder = new PageBuilder<Item>({ ...page, rowsMax: Infinity });
  for (const row of rows) {
    for (const { position, found } of read(row)) {
      if (!builder.offer(position, () => found)) return builder.finish();
    }
  }
  return rows.length < page.rowsMax ? builder.finish() : builder.finishEarly();
}

interface WithBytes<Item> extends Pick<Sized<Item>, "item" | "message"> {
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
}

/** Reads the bytes of the entries on the page, and no others. */
export function* withBytes<Item>(
  sql: StoredBytesSql,
  found: readonly Sized<Item>[],
  bytesMax = WHOLE_BODY_BYTES,
): Reading<WithBytes<Item>[]> {
  if (found.length === 0) return [];
  const tried = found.filter(({ attempt }) => attempt !== null);
  const [bodies, attempts] = yield [
    {
      text: STORED_BYTES_SQL.body,
      values: [bytesMax],
      keys: found.map(({ message }) => keyOf(message)),
    },
    {
      text: sql.attempt,
      values: [],
      keys: tried.map(({ message, attempt }) => [...keyOf(message), attempt!]),
    },
  ];
  const attemptRows = new Map(tried.map((one, index) => [one, attempts![index]![0]]));
  const own = found.map(({ message }, index) => {
    return { message, body: bytesIn(bodies![index]![0]?.["body"]) };
  });
  const whole = yield* wholeBodies(own, bytesMax);
  return found.map((one, index) => {
    const attempt = attemptRows.get(one);
    return {
      item: one.item,
      message: one.message,
      body: whole[index]!,
      attempt: attempt === undefined ? null : toAttemptRecord(attempt),
    };
  });
}

function keyOf({ accountId, messageId }: MessageKey): Key {
  return [accountId, messageId];
}

/** A list whose rows have a large `body`, which is looked up once a row is known to fit. */
interface SizedList {
  /** The columns besides the body, and what they and its size are read from. */
  readonly columns: string;
  readonly from: string;
  readonly where: string;
  readonly order: string;
  /** The parameters for the number of rows and for the bytes of their bodies. */
  readonly limit: string;
  readonly bytesMax: string;
  /** The body of a row of `sized`. */
  readonly body: string;
}

/** As many rows as fit the limit for bodies, at least one. Lengths are known without reading. */
export function withinBytes(list: SizedList): string {
  const { columns, from, where, order, limit, bytesMax, body } = list;
  return `SELECT ${columns}, (${body}) AS body FROM (
      SELECT found.*, sum(body_bytes) OVER in_order AS bytes, row_number() OVER in_order AS nth
      FROM (SELECT ${columns}, octet_length(body) AS body_bytes FROM ${from}
        WHERE ${where} ORDER BY ${order} LIMIT ${limit}) AS found
      WINDOW in_order AS (ORDER BY ${order})) AS sized
    WHERE bytes <= ${bytesMax} OR nth = 1 ORDER BY ${order}`;
}
