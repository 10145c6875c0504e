/** The rows of a list while it is watched: pages from the server, changes in place, new rows on top or held back. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { whenSessionOver } from "./session.ts";
import { type ListPage, type PageStart, searchPages } from "./search-pages.ts";

export interface ListState<Row> {
  readonly rows: readonly Row[];
  /** New rows that wait until the reader wants them, the oldest first. */
  readonly pending: readonly Row[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
  /** The newest instant among rows that a long tail has lost since a page was loaded; null while it has lost none. */
  readonly lostAt: number | null;
  readonly fresh: ReadonlySet<string>;
  /** Of so many new rows one is shown, while they come too fast. */
  readonly sampleOf: number;
  /** How many things the server has read; null where it does not say. */
  readonly searched: number | null;
}

/** What a list needs to know of its rows. */
export interface RowFacts<Row> {
  readonly keyOf: (row: Row) => string;
  /** By which the server orders them. */
  readonly timeOf: (row: Row) => number;
}

export interface ListSource<Row> extends RowFacts<Row> {
  /** Of this list with this filter, among all lists. */
  readonly name: string;
  readonly loadPage: (from: PageStart, signal: AbortSignal) => Promise<ListPage<Row>>;
}

export interface WatchedList<Row> {
  readonly rows: readonly Row[];
  /** A page is on its way, and there is nothing to show. */
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  /** All that there is has been read, and it is nothing. */
  readonly isNone: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly pendingCount: number;
  readonly freshKeys: ReadonlySet<string>;
  readonly sampleOf: number;
  readonly searched: number | null;
  readonly loadMore: () => void;
  readonly showPending: () => void;
  readonly reload: () => void;
}

export interface Watching<Row> {
  readonly list: WatchedList<Row>;
  /** The rows as they are now, for a callback of an earlier time. */
  readonly shown: () => readonly Row[];
  /** Aborted when another filter is chosen. */
  readonly signal: () => AbortSignal;
  readonly change: (change: (before: ListState<Row>) => ListState<Row>) => void;
}

interface Status {
  readonly loading: "first" | "more" | null;
  readonly error: ApiError | null;
}

export function useWatchedList<Row>(source: ListSource<Row>): Watching<Row> {
  const { name, keyOf, loadPage } = source;
  const [state, setState] = useState<ListState<Row>>(keptAs(name));
  const [status, setStatus] = useState<Status>({ loading: "first", error: null });
  const [version, setVersion] = useState(0);
  const gone = useRef(new AbortController());
  const shown = useRef(state);
  shown.current = state;
  const load = async (what: "first" | "more"): Promise<void> => {
    setStatus({ loading: what, error: null });
    try {
      const { signal } = gone.current;
      const start = what === "first" ? NEWEST : startOf(shown.current);
      const page = await searchPages(start.cursor, (cursor) =>
        loadPage(cursor === null ? start : { cursor, toAt: null }, signal),
      );
      setState((before) => withPage(what === "first" ? NOTHING : before, start, page, keyOf));
      setStatus({ loading: null, error: null });
    } catch (error) {
      if (error instanceof ApiError) setStatus({ loading: null, error });
    }
  };
  useEffect(() => {
    gone.current = new AbortController();
    setState(keptAs(name));
    void load("first");
    return () => gone.current.abort();
  }, [name, version]);
  useEffect(() => keep(name, state), [name, state]);
  const list = useMemo(
    () => ({
      rows: state.rows,
      isLoading: status.loading !== null && state.rows.length === 0,
      isLoadingMore: status.loading === "more",
      isNone: status.loading === null && status.error === null && isNone(state),
      error: status.error,
      hasMore: hasMore(state),
      pendingCount: state.pending.length,
      freshKeys: state.fresh,
      sampleOf: state.sampleOf,
      searched: state.searched,
      loadMore: () => status.loading === null && hasMore(state) && void load("more"),
      showPending: () => setState((before) => entered(before, source)),
      reload: () => setVersion(version + 1),
    }),
    [state, status, version],
  );
  return {
    list,
    shown: () => shown.current.rows,
    signal: () => gone.current.signal,
    change: setState,
  };
}

function isNone(state: ListState<unknown>): boolean {
  return state.rows.length === 0 && !hasMore(state);
}

function hasMore({ cursor, lostAt }: ListState<unknown>): boolean {
  return cursor !== null || lostAt !== null;
}

/** A cursor continues below the rows that were loaded, of which a long tail may have lost the last. */
function startOf({ cursor, lostAt }: ListState<unknown>): PageStart {
  return lostAt === null ? { cursor, toAt: null } : { cursor: null, toAt: lostAt };
}

function withPage<Row>(
  before: ListState<Row>,
  start: PageStart,
  { rows, cursor, searched }: ListPage<Row>,
  keyOf: (row: Row) => string,
): ListState<Row> {
  const known = new Set(before.rows.map(keyOf));
  const added = rows.filter((row) => !known.has(keyOf(row)));
  const all = searched === undefined ? before.searched : (before.searched ?? 0) + searched;
  // Rows that were lost while the page was on its way are still to be loaded.
  const lostAt = before.lostAt === start.toAt ? null : before.lostAt;
  return { ...before, rows: [...before.rows, ...added], cursor, lostAt, searched: all };
}

/** The rows that waited, on top. */
export function entered<Row>(
  state: ListState<Row>,
  { keyOf, timeOf }: RowFacts<Row>,
): ListState<Row> {
  const added = state.pending.toReversed();
  const all = [...added, ...state.rows];
  // As many as the reader has loaded stay, and a tail that is left open does not grow.
  const rowsMax = Math.max(TAIL_ROWS_MAX, state.rows.length);
  const lostAt = all
    .slice(rowsMax)
    .reduce((newest, row) => Math.max(newest, timeOf(row)), state.lostAt ?? -Infinity);
  return {
    ...state,
    rows: all.slice(0, rowsMax),
    pending: [],
    lostAt: lostAt === -Infinity ? null : lostAt,
    fresh: new Set(added.map(keyOf)),
  };
}

const NEWEST: PageStart = { cursor: null, toAt: null };
const NOTHING: ListState<never> = {
  rows: [],
  pending: [],
  cursor: null,
  lostAt: null,
  fresh: new Set(),
  sampleOf: 1,
  searched: null,
};
/** The lists that the reader comes back to. */
const kept = new Map<string, ListState<unknown>>();
whenSessionOver(() => kept.clear());

/** A name belongs to one list, and so to one type of rows. */
function keptAs<Row>(name: string): ListState<Row> {
  return (kept.get(name) as ListState<Row> | undefined) ?? NOTHING;
}

function keep(name: string, state: ListState<unknown>): void {
  kept.delete(name);
  if (state.rows.length > 0) kept.set(name, { ...state, fresh: new Set() });
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
}

const TAIL_ROWS_MAX = 1_000;
const KEPT_MAX = 8;
