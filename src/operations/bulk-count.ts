import type { AddressFilter } from "../core/model/message/log-filter.ts";
import type { MessageKey } from "../core/model/message/message.ts";
import { type LiveAction, wouldChange } from "../core/views/would-change.ts";
import { LIVE_ROWS_READ_MAX } from "../store/reader/messages.ts";
import type { Page, PageRequest } from "../store/reader/page.ts";
import type { CursorScope } from "../wire/filters/cursor.ts";
import type { BulkQuery } from "../wire/filters/filters.ts";
import type { KeyPage } from "./bulk-pages.ts";
import type { Context } from "./context.ts";
import { openDated } from "./pages.ts";

/** How many a bulk action would change. */
export interface BulkCount {
  readonly count: number;
  /** There may be more; counting has ended. */
  readonly isAbout: boolean;
}

/** Counts, page by page, what an action would change: at most `countMax`, null for all. */
export async function countEach(
  { clock }: Context,
  countMax: number | null,
  read: (after: string) => Promise<KeyPage<unknown>>,
): Promise<BulkCount> {
  const stopAt = clock.monotonic() + COUNT_MS_MAX;
  let count = 0;
  let after: string | null = "";
  while (after !== null) {
    const page: KeyPage<unknown> = await read(after);
    count += page.items.length;
    if (countMax !== null && count >= countMax) return { count: countMax, isAbout: false };
    after = page.next;
    if (count >= COUNTED_MAX || clock.monotonic() >= stopAt) break;
  }
  return { count, isAbout: after !== null };
}

/** The messages that have not ended and that an action would change. */
export async function countLive(
  context: Context,
  accountId: string,
  { filter, count }: { readonly filter: AddressFilter; readonly count: number | null },
  target: LiveAction,
  start = "",
): Promise<BulkCount> {
  const { messages } = context.store.reader;
  if (filter.messageIds !== undefined) {
    const ids = [...new Set(filter.messageIds)];
    return countNamed(context, accountId, ids, target);
  }
  const upTo = await messages.lastLive(accountId);
  if (upTo === null) return { count: 0, isAbout: false };
  return countEach(context, count, (after) =>
    messages.live(accountId, filter, {
      after: after === "" ? start : after,
      upTo,
      count: LIVE_ROWS_READ_MAX,
      target,
    }),
  );
}

async function countNamed(
  { store }: Context,
  accountId: string,
  messageIds: readonly string[],
  target: LiveAction,
): Promise<BulkCount> {
  let count = 0;
  for (let start = 0; start < messageIds.length; start += NAMED_AT_ONCE) {
    const keys = messageIds
      .slice(start, start + NAMED_AT_ONCE)
      .map((messageId): MessageKey => ({ accountId, messageId }));
    const found = await Promise.all(keys.map((key) => store.reader.messages.get(key, 0)));
    count += found.filter((stored) => stored?.state && wouldChange(target, stored.state)).length;
  }
  return { count, isAbout: false };
}

/** The dead letters or failed runs that match, by their keys alone. */
export async function countDead<Filter extends { readonly toAt?: number | undefined }>(
  context: Context,
  scope: CursorScope,
  query: BulkQuery<Filter>,
  read: (filter: Filter, page: PageRequest) => Promise<Page<unknown>>,
): Promise<BulkCount> {
  const { filter, after: start } = openDated(context, scope, query);
  return countEach(context, query.count, (after) =>
    read(filter, {
      after: after === "" ? start : after,
      count: COUNTED_MAX,
      order: "latestFirst",
    }),
  );
}

/** A count ends after so many, or after this time. */
const COUNTED_MAX = 100_000;
const COUNT_MS_MAX = 3_000;
const NAMED_AT_ONCE = 20;
