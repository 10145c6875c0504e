import { type AddressFilter, isOpen } from "../../../core/model/message/log-filter.ts";
import { livePage } from "../../reads/live-page.ts";
import { LIVE_ROWS_READ_MAX, type LiveRange, type Page } from "../../reader.ts";
import type { Session } from "../driver/conversation.ts";

/** Messages that have neither ended nor been canceled, by id. */
export async function lastLiveMessage(session: Session, accountId: string): Promise<string | null> {
  const [row] = await session.query(SQL.last, [accountId]);
  return row?.["last"] as string | null;
}

export async function listLiveMessages(
  session: Session,
  accountId: string,
  filter: AddressFilter,
  { after, upTo, count }: LiveRange,
): Promise<Page<string>> {
  const values = [accountId, after, upTo, LIVE_ROWS_READ_MAX];
  const rows = await session.query(isOpen(filter) ? SQL.ids : SQL.facts, values);
  return livePage(rows, filter, count);
}

const IDS = `SELECT account_id, message_id FROM messages
  WHERE account_id = $1 AND message_id > $2 AND message_id <= $3 AND NOT cancel_requested
  ORDER BY message_id LIMIT $4`;

const SQL = {
  last: "SELECT max(message_id) AS last FROM messages WHERE account_id = $1",
  // Both by their primary keys.
  ids: IDS,
  facts: `SELECT m.message_id, f.facts FROM (${IDS}) m
    LEFT JOIN facts f ON f.account_id = m.account_id AND f.message_id = m.message_id
    ORDER BY m.message_id`,
} as const;
