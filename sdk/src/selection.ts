import { PostriderError } from "./errors.ts";
import { type OptionNames, requireKnown } from "./option-names.ts";
import type { Call, Query } from "./transport.ts";

/** The items of a bulk call: one by its id, some by their ids, those that match, or all. */
export type Selection<Filter> =
  | string
  | readonly string[]
  | { readonly filter: Filter; readonly count?: number; readonly cursor?: string }
  | { readonly all: true; readonly cursor?: string };

/**
 * The parameters of a selection. A filter without a condition is refused: `all` must be explicit.
 */
export function selectionQuery<Filter extends object>(
  selection: Selection<Filter>,
  idsName: string,
  names: OptionNames<Filter>,
): Query {
  if (typeof selection === "string") return { [idsName]: [selection] };
  if (isIds(selection)) return { [idsName]: selection };
  requireKnown("a selection", selection, SELECTION);
  const { all, filter, count, cursor } = selection as Partial<SelectionOptions<Filter>>;
  if (all === true) {
    if (filter === undefined && count === undefined) return cursor === undefined ? {} : { cursor };
    throw new PostriderError("a selection has { all: true }, or a filter and its count, not both");
  }
  if (all) throw new PostriderError("all must be true, or left out");
  requireKnown("a filter", filter, names);
  if (Object.values(filter as Filter).every((value) => value === undefined)) {
    throw new PostriderError("the filter is empty; { all: true } selects everything");
  }
  return { ...(filter as Query), count, cursor };
}

/** The query of a bulk call. Repeated, one with a count would change as many others again. */
export function bulk(query: Query): Pick<Call, "query" | "isOnce"> {
  return { query, isOnce: query["count"] !== undefined };
}

/** True for an empty list of ids, which needs no request. */
export function selectsNothing(selection: Selection<object>): boolean {
  return isIds(selection) && selection.length === 0;
}

function isIds(selection: Selection<object>): selection is readonly string[] {
  return Array.isArray(selection);
}

/** The compiler takes the members of both forms together. */
interface SelectionOptions<Filter> {
  readonly filter: Filter;
  readonly count: number;
  readonly cursor: string;
  readonly all: boolean;
}

const SELECTION = { filter: true, count: true, cursor: true, all: true } as const;
