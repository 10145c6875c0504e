/** The runs while they are watched: asked for again when something was sent. */
import type { Run, RunPage } from "../../../sdk/src/answers/workflow.ts";
import { call, withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import { useNews } from "../app/news.ts";
import type { ListPage, PageStart } from "../app/search-pages.ts";
import {
  entered,
  type ListState,
  type RowFacts,
  useWatchedList,
  type WatchedList,
} from "../app/watched-list.ts";
import { type RunFilter, runQuery } from "./run-filter.ts";
import { isEnded, runKey } from "./run-log.ts";

export type RunList = WatchedList<Run>;

interface News {
  /** The newest runs. */
  readonly first: readonly Run[];
  /** Those further down that had not ended. */
  readonly others: readonly Run[];
}

/** `canEnter` says whether new rows may enter now, or must wait. */
export function useRunList(filter: RunFilter, isLive: boolean, canEnter: () => boolean): RunList {
  const name = `runs ${JSON.stringify(filter)}`;
  const { list, shown, change } = useWatchedList<Run>({
    ...ROW_FACTS,
    name,
    loadPage: (from, gone) => loadPage(filter, from, gone),
  });
  useNews(
    isLive
      ? { name: `/v2/workflows/logs ${name}`, load: (gone) => loadNews(filter, shown(), gone) }
      : null,
    (news) => change((before) => withNews(before, news, canEnter())),
  );
  return list;
}

const ROW_FACTS: RowFacts<Run> = {
  keyOf: runKey,
  timeOf: ({ workflowRunCreatedAt }) => workflowRunCreatedAt,
};

async function loadPage(
  filter: RunFilter,
  { cursor, toAt }: PageStart,
  signal: AbortSignal,
): Promise<ListPage<Run>> {
  const query = { ...runQuery(filter, serverNow()), count: PAGE, toDate: toAt, cursor };
  const page = await call<RunPage>(withQuery("/v2/workflows/logs", query), {
    signal,
  });
  return {
    rows: page.runs,
    cursor: page.cursor === undefined || page.cursor === "" ? null : page.cursor,
  };
}

async function loadNews(
  filter: RunFilter,
  shown: readonly Run[],
  signal: AbortSignal,
): Promise<News> {
  const { rows: first } = await loadPage(filter, { cursor: null, toAt: null }, signal);
  const known = new Set(first.map(runKey));
  const open = shown.filter((run) => !isEnded(run) && !known.has(runKey(run))).slice(0, OPEN_MAX);
  if (open.length === 0) return { first, others: [] };
  const query = { workflowRuns: open.map(runKey).join(","), count: OPEN_MAX };
  const { runs: others } = await call<RunPage>(withQuery("/v2/workflows/logs", query), {
    signal,
  });
  return { first, others };
}

/** Rows that are shown change in place and never move; new ones enter at the top, or wait. */
function withNews(
  before: ListState<Run>,
  { first, others }: News,
  mayEnter: boolean,
): ListState<Run> {
  const newest = new Map([...first, ...others].map((run) => [runKey(run), run]));
  const rows = before.rows.map((run) => newest.get(runKey(run)) ?? run);
  const known = new Set(rows.map(runKey));
  const youngestAt = rows[0]?.workflowRunCreatedAt ?? 0;
  const pending = first
    .filter((run) => !known.has(runKey(run)) && run.workflowRunCreatedAt >= youngestAt)
    .toReversed();
  const next = { ...before, rows, pending };
  return mayEnter && pending.length > 0 ? entered(next, ROW_FACTS) : next;
}

const PAGE = 50;
const OPEN_MAX = 50;
