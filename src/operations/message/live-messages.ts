import type { AddressFilter } from "../../core/model/message/log-filter.ts";
import { LIVE_ROWS_READ_MAX } from "../../store/reader/messages.ts";
import { PAGE_BYTES_MAX, ROWS_READ_MAX } from "../../store/reader/page.ts";
import type { ListQuery } from "../../wire/filters/filters.ts";
import type { Context } from "../context.ts";
import { type MessageWithState, withState } from "./messages.ts";
import { type Listed, openCursor, sealCursor } from "../pages.ts";

/** Messages that have not ended and were not canceled, the oldest first. */
export async function listLiveMessages(
  context: Context,
  accountId: string,
  { filter, count, cursor }: Omit<ListQuery<AddressFilter>, "order">,
): Promise<Listed<MessageWithState>> {
  const { reader } = context.store;
  const after = openCursor(context, "messages", cursor) ?? "";
  const { ids, next } = await findLive(context, accountId, filter, { after, count });
  const items: MessageWithState[] = [];
  let bytesLeft = PAGE_BYTES_MAX;
  let last = after;
  for (const messageId of ids) {
    const key = { accountId, messageId };
    let stored = await reader.messages.get(key, bytesLeft + 1);
    if ((stored?.body.byteLength ?? 0) > bytesLeft) {
      if (items.length > 0) return { items, cursor: sealCursor(context, "messages", last) };
      // The first message is shown however large it is.
      await context.reserve?.(stored?.state?.bytes ?? 0);
      stored = await reader.messages.get(key);
    }
    last = messageId;
    // It may have ended since it was found.
    if (stored === null || stored.state === null) continue;
    items.push(withState(stored));
    bytesLeft = Math.max(0, bytesLeft - stored.body.byteLength);
  }
  return { items, cursor: sealCursor(context, "messages", next) };
}

/** The ids of a page, out of a bounded number of rows. */
async function findLive(
  { store }: Context,
  accountId: string,
  filter: AddressFilter,
  { after, count }: { readonly after: string; readonly count: number },
): Promise<{ ids: readonly string[]; next: string | null }> {
  const upTo = await store.reader.messages.lastLive(accountId);
  const ids: string[] = [];
  let next: string | null = upTo === null ? null : after;
  for (let round = 0; round < ROUNDS_MAX && next !== null && ids.length < count; round++) {
    const range = { after: next, upTo: upTo!, count: count - ids.length };
    const page = await store.reader.messages.live(accountId, filter, range);
    ids.push(...page.items);
    next = page.next;
  }
  return { ids, next };
}

const ROUNDS_MAX = ROWS_READ_MAX / LIVE_ROWS_READ_MAX;
