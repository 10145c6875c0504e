import type { Instant } from "../core/model/time.ts";
import { Problem } from "../core/problem.ts";
import { type Page, type PageRequest, PAGE_BYTES_MAX } from "../store/reader/page.ts";
import type { CursorScope } from "../wire/filters/cursor.ts";
import type { Context } from "./context.ts";
import { waitingPlaces } from "./line/waiting.ts";
import { openDated } from "./pages.ts";
import type { LiveFilter } from "../core/model/message/log-filter.ts";
import type { MessageKey } from "../core/model/message/message.ts";
import { type LiveAction, wouldChange } from "../core/views/matches-message.ts";
import { LIVE_ROWS_READ_MAX } from "../store/reader/messages.ts";

export interface BulkWork<Filter, Item> {
  readonly read: (filter: Filter, page: PageRequest) => Promise<Page<Item>>;
  /** Changes a page; returns by how many bytes the answer grows. */
  readonly change: (items: readonly Item[]) => Promise<number>;
}

/** Newest first; returns where to continue. Items added meanwhile are newer, so the work ends. */
export async function eachPage<Filter extends { readonly toAt?: Instant | undefined }, Item>(
  context: Context,
  scope: CursorScope,
  query: { readonly filter: Filter; readonly cursor: string | null; readonly count: number | null },
  { read, change }: BulkWork<Filter, Item>,
): Promise<string | undefined> {
  const stopAt = context.clock.monotonic() + BULK_MS_MAX;
  const { filter, seal, after: start } = openDated(context, scope, query);
  let after = start;
  let left = query.count ?? Infinity;
  let bytesLeft = PAGE_BYTES_MAX;
  do {
    const count = Math.min(left, PAGE_COUNT);
    const request: PageRequest = { after, count, order: "latestFirst", reserve: context.reserve };
    const page = await read(filter, request).catch((error: unknown) => {
      // Changed pages stay changed, so the caller gets a cursor to continue from.
      if (after !== start && isRefusal(error)) return null;
      throw error;
    });
    if (page === null) break;
    bytesLeft -= await change(page.items);
    left -= page.items.length;
    after = page.next;
  } while (after !== null && left > 0 && bytesLeft > 0 && context.clock.monotonic() < stopAt);
  return seal(after);
}

/** One page of items that match, in the order of their keys. */
interface KeyPage<Item> {
  readonly items: readonly Item[];
  /** Null at the end. */
  readonly next: string | null;
}

/** Changes matching items until `count` have changed, null for all; `change` returns how many. */
export async function changeEach<Item>(
  count: number | null,
  pageCount: number,
  read: (range: { readonly after: string; readonly count: number }) => Promise<KeyPage<Item>>,
  change: (items: readonly Item[]) => Promise<number>,
): Promise<void> {
  let after: string | null = "";
  let left = count ?? Infinity;
  while (after !== null && left > 0) {
    const page: KeyPage<Item> = await read({ after, count: Math.min(left, pageCount) });
    left -= await change(page.items);
    after = page.next;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.kind === "overloaded";
}

const PAGE_COUNT = 100;
/** Longer work returns a cursor, so that a client does not wait without a response. */
const BULK_MS_MAX = 20_000;

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
  { filter, count }: { readonly filter: LiveFilter; readonly count: number | null },
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
  const waiting = await waitingPlaces(context, accountId, filter.waitingFor);
  return countEach(context, count, (after) =>
    messages.live(accountId, filter, {
      after: after === "" ? start : after,
      upTo,
      count: LIVE_ROWS_READ_MAX,
      target,
      waiting,
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

/** A count ends after so many, or after this time. */
export const COUNTED_MAX = 100_000;
const COUNT_MS_MAX = 3_000;
const NAMED_AT_ONCE = 20;
