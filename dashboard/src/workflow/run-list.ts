/** The rows of the list of runs while it is watched: pages from the server, changes in place, new ones on top. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import { useLive } from "../app/live.ts";
import { noteReached, noteUnreachable } from "../app/reachable.ts";
import { isFiltered, type RunFilter, runQuery } from "./run-filter.ts";
import { isEnded, type RunLog, runKey } from "./run-log.ts";

export interface RunList {
  readonly runs: readonly RunLog[];
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  /** New runs that wait until the reader wants them. */
  readonly pendingCount: number;
  readonly freshKeys: ReadonlySet<string>;
  /** The account has no run at all. */
  readonly isNone: boolean;
  readonly loadMore: () => void;
  readonly showPending: () => void;
  readonly reload: () => void;
}

interface State {
  readonly runs: readonly RunLog[];
  readonly pending: readonly RunLog[];
  readonly cursor: string | null;
  readonly fresh: ReadonlySet<string>;
}

interface Status {
  readonly loading: "first" | "more" | null;
  readonly error: ApiError | null;
}

const NOTHING: State = { runs: [], pending: [], cursor: null, fresh: new Set() };
/** The lists that the reader comes back to, by their filter. */
const kept = new Map<string, State>();

/** `canEnter` says whether new rows may enter now, or must wait. */
export function useRunList(filter: RunFilter, isLive: boolean, canEnter: () => boolean): RunList {
  const name = JSON.stringify(filter);
  const [state, setState] = useState<State>(kept.get(name) ?? NOTHING);
  const [status, setStatus] = useState<Status>({ loading: "first", error: null });
  const [version, setVersion] = useState(0);
  const gone = useRef(new AbortController());
  const shown = useRef(state);
  shown.current = state;
  const load = async (cursor: string | null): Promise<void> => {
    setStatus({ loading: cursor === null ? "first" : "more", error: null });
    try {
      const page = await loadPage(filter, cursor, gone.current.signal);
      setState((before) => (cursor === null ? { ...NOTHING, ...page } : withPage(before, page)));
      setStatus({ loading: null, error: null });
    } catch (error) {
      if (error instanceof ApiError) setStatus({ loading: null, error });
    }
  };
  useEffect(() => {
    gone.current = new AbortController();
    setState(kept.get(name) ?? NOTHING);
    void load(null);
    return () => gone.current.abort();
  }, [name, version]);
  useEffect(() => keep(name, state), [name, state]);
  useRefresh(isLive, async () => {
    const news = await loadNews(filter, shown.current.runs, gone.current.signal);
    setState((before) => withNews(before, news, canEnter()));
  });
  return {
    runs: state.runs,
    isLoading: status.loading === "first" && state.runs.length === 0,
    isLoadingMore: status.loading === "more",
    error: status.error,
    hasMore: state.cursor !== null,
    pendingCount: state.pending.length,
    freshKeys: state.fresh,
    isNone: status.loading === null && state.runs.length === 0 && !isFiltered(filter),
    loadMore: () => status.loading === null && state.cursor !== null && void load(state.cursor),
    showPending: () => setState(entered),
    reload: () => setVersion(version + 1),
  };
}

/** Asks again after something was sent, at most every two seconds, and now and then without. */
export function useRefresh(isOn: boolean, refresh: () => Promise<void>): void {
  const newest = useRef(refresh);
  newest.current = refresh;
  const asked = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const ask = (afterMs: number): void => {
    asked.current ??= setTimeout(() => {
      newest.current().then(noteReached, (error: unknown) => {
        if (error instanceof ApiError && error.status === 0) noteUnreachable();
      });
      asked.current = undefined;
    }, afterMs);
  };
  useLive(() => ask(REFRESH_MS), isOn);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => document.hidden || ask(0), EVERY_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(asked.current);
      asked.current = undefined;
    };
  }, [isOn]);
}

interface RunPage {
  readonly runs: readonly RunLog[];
  readonly cursor: string | null;
}

async function loadPage(
  filter: RunFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<RunPage> {
  const query = { ...runQuery(filter, serverNow()), count: PAGE, cursor };
  const page = await call<{ runs: RunLog[]; cursor: string }>(
    withQuery("/v2/workflows/logs", query),
    { signal },
  );
  return { runs: page.runs, cursor: page.cursor === "" ? null : page.cursor };
}

/** The newest runs, and those further down that had not ended. */
async function loadNews(
  filter: RunFilter,
  shown: readonly RunLog[],
  signal: AbortSignal,
): Promise<{ readonly first: readonly RunLog[]; readonly others: readonly RunLog[] }> {
  const { runs: first } = await loadPage(filter, null, signal);
  const known = new Set(first.map(runKey));
  const open = shown.filter((run) => !isEnded(run) && !known.has(runKey(run))).slice(0, OPEN_MAX);
  if (open.length === 0) return { first, others: [] };
  const query = { workflowRuns: open.map(runKey).join(","), count: OPEN_MAX };
  const { runs: others } = await call<{ runs: RunLog[] }>(withQuery("/v2/workflows/logs", query), {
    signal,
  });
  return { first, others };
}

function withPage(before: State, { runs, cursor }: RunPage): State {
  const known = new Set(before.runs.map(runKey));
  const added = runs.filter((run) => !known.has(runKey(run)));
  return { ...before, runs: [...before.runs, ...added], cursor };
}

/** Rows that are shown change in place and never move; new ones enter at the top, or wait. */
function withNews(
  before: State,
  { first, others }: { readonly first: readonly RunLog[]; readonly others: readonly RunLog[] },
  mayEnter: boolean,
): State {
  const newest = new Map([...first, ...others].map((run) => [runKey(run), run]));
  const runs = before.runs.map((run) => newest.get(runKey(run)) ?? run);
  const known = new Set(runs.map(runKey));
  const youngestAt = runs[0]?.workflowRunCreatedAt ?? 0;
  const pending = first.filter(
    (run) => !known.has(runKey(run)) && run.workflowRunCreatedAt >= youngestAt,
  );
  const next = { ...before, runs, pending };
  return mayEnter && pending.length > 0 ? entered(next) : next;
}

function entered(state: State): State {
  const fresh = new Set(state.pending.map(runKey));
  return { ...state, runs: [...state.pending, ...state.runs], pending: [], fresh };
}

function keep(name: string, state: State): void {
  kept.delete(name);
  if (state.runs.length > 0) kept.set(name, { ...state, fresh: new Set() });
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
}

const PAGE = 50;
const OPEN_MAX = 50;
const REFRESH_MS = 2_000;
const EVERY_MS = 10_000;
const KEPT_MAX = 8;
