import type { Instant } from "../core/model/time.ts";
import { Problem } from "../core/problem.ts";
import type { Page, PageRequest } from "../store/reader/page.ts";
import { PAGE_BYTES_MAX } from "../store/reader/page.ts";
import type { CursorScope } from "../wire/filters/cursor.ts";
import type { Context } from "./context.ts";
import { openDated } from "./pages.ts";

/** The parts of a bulk change. */
export interface BulkWork<Filter, Item> {
  readonly read: (filter: Filter, page: PageRequest) => Promise<Page<Item>>;
  /** Changes a page; returns by how many bytes the answer grows. */
  readonly change: (items: readonly Item[]) => Promise<number>;
}

/**
 * Works through the matching items, newest first, and returns where to continue. Items added
 * meanwhile are newer than the current page, so the work ends.
 */
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
export interface KeyPage<Item> {
  readonly items: readonly Item[];
  /** Null at the end. */
  readonly next: string | null;
}

/**
 * Changes matching items from the first to the last, until `count` have changed; null for all.
 * `change` returns how many of a page did.
 */
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
