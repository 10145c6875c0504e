/** The rows of the list while it is watched: pages from the server, new rows from the stream. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "../app/api.ts";
import { useLive } from "../app/live.ts";
import type { LogEntry } from "./log-entry.ts";
import { isOpenState, matches, type MessageFilter } from "./message-filter.ts";
import { loadPage } from "./message-pages.ts";
import { type MessageRow, withEntry } from "./message-row.ts";

export interface MessageList {
  readonly rows: readonly MessageRow[];
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  /** New rows that wait until the reader wants them. */
  readonly pendingCount: number;
  readonly freshKeys: ReadonlySet<string>;
  /** Of so many new rows one is shown, while they come too fast. */
  readonly sampleOf: number;
  readonly loadMore: () => void;
  readonly showPending: () => void;
  readonly reload: () => void;
}

interface State {
  readonly rows: readonly MessageRow[];
  readonly pending: readonly MessageRow[];
  readonly cursor: string | null;
  readonly fresh: ReadonlySet<string>;
  readonly sampleOf: number;
}

const NOTHING: State = { rows: [], pending: [], cursor: null, fresh: new Set(), sampleOf: 1 };
/** The lists that the reader comes back to, by their filter. */
const kept = new Map<string, State>();

/** `canEnter` says whether new rows may enter now, or must wait. */
export function useMessageList(
  filter: MessageFilter,
  isLive: boolean,
  canEnter: () => boolean,
): MessageList {
  const name = JSON.stringify(filter);
  const [state, setState] = useState<State>(kept.get(name) ?? NOTHING);
  const [status, setStatus] = useState<{
    loading: "first" | "more" | null;
    error: ApiError | null;
  }>({ loading: "first", error: null });
  const [version, setVersion] = useState(0);
  const gone = useRef(new AbortController());
  const load = async (cursor: string | null, before: State): Promise<void> => {
    setStatus({ loading: cursor === null ? "first" : "more", error: null });
    const { signal } = gone.current;
    try {
      const page = await loadPage(filter, cursor, signal);
      const known = new Set(before.rows.map(({ id }) => id));
      const added = page.rows.filter(({ id }) => !known.has(id));
      setState((now) => ({
        ...(cursor === null ? NOTHING : now),
        rows: cursor === null ? page.rows : [...now.rows, ...added],
        cursor: page.cursor,
      }));
      setStatus({ loading: null, error: null });
    } catch (error) {
      if (error instanceof ApiError) setStatus({ loading: null, error });
    }
  };
  useEffect(() => {
    gone.current = new AbortController();
    setState(kept.get(name) ?? NOTHING);
    void load(null, NOTHING);
    return () => gone.current.abort();
  }, [name, version]);
  useEffect(() => keep(name, state), [name, state]);
  useLive((entries) => setState((before) => withNews(before, entries, filter, canEnter())), isLive);
  return useMemo(
    () => ({
      rows: state.rows,
      isLoading: status.loading === "first" && state.rows.length === 0,
      isLoadingMore: status.loading === "more",
      error: status.error,
      hasMore: state.cursor !== null,
      pendingCount: state.pending.length,
      freshKeys: state.fresh,
      sampleOf: state.sampleOf,
      loadMore: () =>
        status.loading === null && state.cursor !== null && void load(state.cursor, state),
      showPending: () => setState(entered),
      reload: () => setVersion(version + 1),
    }),
    [state, status, version],
  );
}

/** Rows that are shown change in place and never move; new ones enter at the top, or wait. */
function withNews(
  before: State,
  entries: readonly LogEntry[],
  filter: MessageFilter,
  mayEnter: boolean,
): State {
  const shown = new Map(before.rows.map((row) => [row.id, row]));
  const pending = new Map(before.pending.map((row) => [row.id, row]));
  for (const entry of entries) {
    const place = shown.has(entry.messageId)
      ? shown
      : pending.has(entry.messageId) || isNew(entry, filter)
        ? pending
        : null;
    place?.set(entry.messageId, withEntry(place.get(entry.messageId), entry));
  }
  const rows = before.rows.map((row) => shown.get(row.id) ?? row);
  const waiting = [...pending.values()].slice(-PENDING_MAX);
  const next = { ...before, rows, pending: waiting };
  return mayEnter && waiting.length > 0 ? entered(sampled(next)) : next;
}

function isNew(entry: LogEntry, filter: MessageFilter): boolean {
  return (
    matches(filter, entry) &&
    (filter.state === null || entry.state === filter.state) &&
    !isOpenState(filter.state)
  );
}

/** At more than ten new rows a second a sample is shown; a batch is a quarter of a second. */
function sampled(state: State): State {
  const sampleOf = Math.ceil(state.pending.length / ENTER_MAX);
  if (sampleOf <= 1) return { ...state, sampleOf: 1 };
  return {
    ...state,
    sampleOf,
    pending: state.pending.filter((_, index) => index % sampleOf === 0),
  };
}

function entered(state: State): State {
  const added = state.pending.toReversed();
  const rows = [...added, ...state.rows].slice(0, ROWS_MAX);
  return { ...state, rows, pending: [], fresh: new Set(added.map(({ id }) => id)) };
}

function keep(name: string, state: State): void {
  kept.delete(name);
  if (state.rows.length > 0) kept.set(name, { ...state, fresh: new Set() });
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
}

const ROWS_MAX = 20_000;
const PENDING_MAX = 1_000;
const ENTER_MAX = 10;
const KEPT_MAX = 8;
