import type { Page, PageRequest } from "../store/reader.ts";
import { type CursorScope, readCursor, writeCursor } from "../wire/cursor.ts";
import type { ListQuery } from "../wire/filters.ts";
import type { Context } from "./context.ts";

/** One page of a list, and the sealed place where the next one starts. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | undefined;
}

export function pageRequest(
  context: Context,
  scope: CursorScope,
  { cursor, count, order }: Omit<ListQuery<unknown>, "filter">,
): PageRequest {
  return { after: openCursor(context, scope, cursor), count, order };
}

export function openCursor(
  { cursorSecret }: Context,
  scope: CursorScope,
  cursor: string | null,
): string | null {
  return cursor === null || cursor === "" ? null : readCursor(cursorSecret, scope, cursor);
}

export function sealCursor(
  { cursorSecret }: Context,
  scope: CursorScope,
  position: string | null,
): string | undefined {
  return position === null ? undefined : writeCursor(cursorSecret, scope, position);
}

export function listed<Item>(
  context: Context,
  scope: CursorScope,
  { items, next }: Page<Item>,
): Listed<Item> {
  return { items, cursor: sealCursor(context, scope, next) };
}
