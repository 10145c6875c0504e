import type { AttemptRecord } from "../../../core/model/message/attempt.ts";
import type { Message } from "../../../core/model/message/message.ts";
import { WHOLE_BODY_BYTES } from "../../reader/messages.ts";
import { type Candidate, PageBuilder } from "../../reads/page-builder.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import { toAttemptRecord } from "../../records/log-step.ts";
import type { Row } from "../../records/rows.ts";
import { pairKey } from "../../group/row-keys.ts";
import { columnsOf } from "../group/columns.ts";
import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";
import type { Session } from "../driver/conversation.ts";

/** A list entry whose bytes are not read yet: the page may be full before it. */
interface Found<Told> {
  readonly told: Told;
  readonly message: Message;
  /** Its attempt; null for none. */
  readonly attempt: number | null;
}

/** An entry of a row with its cursor; null when the filter rejects it. */
export interface Offer<Told> {
  readonly position: string;
  readonly found: Candidate<Found<Told>> | null;
}

/** Fills a part of a page from the rows that were read for it. */
export function collect<Told>(
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
export async function withBytes<Told extends { readonly messageId: string }>(
  session: Session,
  accountId: string,
  found: readonly Found<Told>[],
  bytesMax = WHOLE_BODY_BYTES,
): Promise<{ told: Told; message: Message; body: Uint8Array; attempt: AttemptRecord | null }[]> {
  if (found.length === 0) return [];
  const ids = [...new Set(found.map(({ told }) => told.messageId))];
  const tries = columnsOf(
    found.filter(({ attempt }) => attempt !== null),
    ({ told }) => told.messageId,
    ({ attempt }) => attempt,
  );
  const [bodyRows, attemptRows] = await Promise.all([
    session.query(SQL.bodies, [accountId, ids, bytesMax]),
    session.query(SQL.attempts, [accountId, ...tries]),
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

/** Looked up one by one: given a join, the server may read all rows of the account for a few. */
const SQL = {
  bodies: `SELECT f.* FROM unnest($2::text[]) AS k (message_id)
    CROSS JOIN LATERAL (
      SELECT message_id, substr(body, 1, $3) AS body FROM facts
      WHERE account_id = $1 AND message_id = k.message_id OFFSET 0
    ) f`,
  attempts: `SELECT a.* FROM unnest($2::text[], $3::int[]) AS k (message_id, attempt)
    CROSS JOIN LATERAL (
      SELECT * FROM log_entries
      WHERE ${isAt(LOG_OF_MESSAGE, ["$1", "k.message_id"])} AND attempt = k.attempt
        AND started_at IS NOT NULL
      ORDER BY account_id, message_id, number OFFSET 0
    ) a`,
} as const;
