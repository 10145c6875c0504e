import type { Instant } from "../core/model/time.ts";
import type { Page, PageRequest } from "../store/reader/page.ts";
import {
  type CursorScope,
  readCursor,
  readDatedCursor,
  writeCursor,
  writeDatedCursor,
} from "../wire/filters/cursor.ts";
import type { ListQuery } from "../wire/filters/filters.ts";
import type { Context } from "./context.ts";

/** One page of a list, and the sealed cursor of the next one. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | undefined;
  /** How many things were read for it, where that is counted. */
  readonly searched?: number | undefined;
}

interface Dated {
  readonly toAt?: Instant | undefined;
}

/** Where a list by time continues, and its filter. */
export interface DatedStart<Filter extends Dated> {
  readonly after: string | null;
  readonly filter: Filter;
  /** The cursor after a page; undefined after the last. */
  readonly seal: (next: string | null) => string | undefined;
}

export async function listDated<Filter extends Dated, Item>(
  context: Context,
  scope: CursorScope,
  query: ListQuery<Filter>,
  read: (filter: Filter, page: PageRequest) => Promise<Page<Item>>,
): Promise<Listed<Item>> {
  const { count, order } = query;
  const { after, filter, seal } = openDated(context, scope, query);
  const { items, next, rowsRead } = await read(filter, {
    after,
    count,
    order,
    reserve: context.reserve,
  });
  return { items, cursor: seal(next), searched: rowsRead };
}

/** A time that a caller gave as a cursor bounds the pages after the first one too. */
export function openDated<Filter extends Dated>(
  { cursorSecrets }: Context,
  scope: CursorScope,
  { filter, cursor }: Pick<ListQuery<Filter>, "filter" | "cursor">,
): DatedStart<Filter> {
  const { position, toAt } =
    cursor === null || cursor === ""
      ? { position: null, toAt: undefined }
      : readDatedCursor(cursorSecrets(), scope, cursor);
  return {
    after: position,
    filter:
      toAt === undefined ? filter : { ...filter, toAt: Math.min(toAt, filter.toAt ?? Infinity) },
    seal: (next) =>
      next === null
        ? undefined
        : writeDatedCursor(cursorSecrets()[0], scope, { position: next, toAt }),
  };
}

export function openCursor(
  { cursorSecrets }: Context,
  scope: CursorScope,
  cursor: string | null,
): string | null {
  return cursor === null || cursor === "" ? null : readCursor(cursorSecrets(), scope, cursor);
}

export function sealCursor(
  { cursorSecrets }: Context,
  scope: CursorScope,
  position: string | null,
): string | undefined {
  return position === null ? undefined : writeCursor(cursorSecrets()[0], scope, position);
}
