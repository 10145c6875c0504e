/** The rows of a list while it is watched: pages from the server, changes in place, new rows on top or held back. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { whenSessionOver } from "./session.ts";
import { type ListPage, searchPages } from "./search-pages.ts";

export interface ListState<Row> {
  readonly rows: readonly Row[];
  /** New rows that wait until the reader wants them, the oldest first. */
  readonly pending: readonly Row[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
  readonly fresh: ReadonlySet<string>;
  /** Of so many new rows one is shown, while they come too fast. */
  readonly sampleOf: number;
  /** How many things the server has read; null where it does not say. */
  readonly searched: number | null;
}

export interface ListSource<Row> {
  /** Of this list with this filter, among all lists. */
  readonly name: string;
  readonly keyOf: (row: Row) => string;
  readonly loadPage: (cursor: string | null, signal: AbortSignal) => Promise<ListPage<Row>>;
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

export function useWatchedList<Row>({ name, keyOf, loadPage }: ListSource<Row>): Watching<Row> {
  const [state, setState] = useState<ListState<Row>>(keptAs(name));
  const [status, setStatus] = useState<Status>({ loading: "first", error: null });
  const [version, setVersion] = useState(0);
  const gone = useRef(new AbortController());
  const shown = useRef(state);
  shown.current = state;
  const load = async (cursor: string | null): Promise<void> => {
    setStatus({ loading: cursor === null ? "first" : "more", error: null });
    try {
      const { signal } = gone.current;
      const page = await searchPages(cursor, (from) => loadPage(from, signal));
      setState((before) => withPage(cursor === null ? NOTHING : before, page, keyOf));
      setStatus({ loading: null, error: null });
    } catch (error) {
      if (error instanceof ApiError) setStatus({ loading: null, error });
    }
  };
  useEffect(() => {
    gone.current = new AbortController();
    setState(keptAs(name));
    void load(null);
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
      hasMore: state.cursor !== null,
      pendingCount: state.pending.length,
      freshKeys: state.fresh,
      sampleOf: state.sampleOf,
      searched: state.searched,
      loadMore: () => status.loading === null && state.cursor !== null && void load(state.cursor),
      showPending: () => setState((before) => entered(before, keyOf)),
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

function isNone({ rows, cursor }: ListState<unknown>): boolean {
  return rows.length === 0 && cursor === null;
}

function withPage<Row>(
  before: ListState<Row>,
  { rows, cursor, searched }: ListPage<Row>,
  keyOf: (row: Row) => string,
): ListState<Row> {
  const known = new Set(before.rows.map(keyOf));
  const added = rows.filter((row) => !known.has(keyOf(row)));
  const all = searched === undefined ? before.searched : (before.searched ?? 0) + searched;
  return { ...before, rows: [...before.rows, ...added], cursor, searched: all };
}

/** The rows that waited, on top. */
export function entered<Row>(state: ListState<Row>, keyOf: (row: Row) => string): ListState<Row> {
  const added = state.pending.toReversed();
  // What the reader has loaded stays, and a tail that is left open does not grow.
  const rowsMax = Math.max(TAIL_ROWS_MAX, state.rows.length);
  const rows = [...added, ...state.rows].slice(0, rowsMax);
  return { ...state, rows, pending: [], fresh: new Set(added.map(keyOf)) };
}

const NOTHING: ListState<never> = {
  rows: [],
  pending: [],
  cursor: null,
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
