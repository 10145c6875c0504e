/** A run with its events and the runs that it started, read again while it changes. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Run, RunPage } from "../../../sdk/src/answers/workflow.ts";
import type { RunEvent, RunEventPage } from "../answers/workflow.ts";
import { ApiError, call, withQuery } from "../app/api.ts";
import { useLive } from "../app/live.ts";
import { noteReached, noteUnreachable } from "../app/reachable.ts";
import { isEnded, runKey } from "./run-log.ts";
import { allSteps } from "./run-state.ts";
import { timelineOf } from "./run-timeline.ts";
import type { ChildRun } from "./waterfall-rows.ts";

export interface RunFacts {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  readonly children: ReadonlyMap<string, ChildRun>;
}

export interface RunResource {
  /** Undefined until the server has answered, null when there is no such run. */
  readonly facts: RunFacts | null | undefined;
  readonly error: ApiError | null;
  readonly reload: () => void;
}

/** `at` tells apart runs that share an id; without it the newest is meant. */
export function useRun(id: string, at: string | null): RunResource {
  const [facts, setFacts] = useState<RunFacts | null | undefined>(undefined);
  const [error, setError] = useState<ApiError | null>(null);
  const gone = useRef(new AbortController());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const load = async (): Promise<void> => {
    clearTimeout(timer.current);
    timer.current = undefined;
    try {
      const loaded = await loadRun(id, at, gone.current.signal);
      setFacts(loaded);
      setError(null);
      noteReached();
    } catch (problem) {
      if (!(problem instanceof ApiError)) return;
      if (problem.status === 0) noteUnreachable();
      setError(problem);
    }
  };
  const soon = (afterMs: number): void => {
    timer.current ??= setTimeout(() => void load(), afterMs);
  };
  useEffect(() => {
    gone.current = new AbortController();
    setFacts(undefined);
    void load();
    const every = setInterval(() => document.hidden || soon(0), EVERY_MS);
    return () => {
      gone.current.abort();
      clearInterval(every);
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [id, at]);
  useLive((entries) => {
    if (facts === null || facts === undefined) return;
    const known = new Set(facts.events.map(({ messageId }) => messageId));
    const { workflowUrl } = facts.run;
    const isOwn = entries.some(({ messageId, url }) => known.has(messageId) || url === workflowUrl);
    if (isOwn) soon(SOON_MS);
  }, true);
  return { facts, error, reload: () => void load() };
}

async function loadRun(
  id: string,
  at: string | null,
  signal: AbortSignal,
): Promise<RunFacts | null> {
  const which = at === null ? { workflowRunId: id } : { workflowRuns: `${id}@${at}` };
  const query = { groupBy: "workflowRunId", count: 1, trimBody: BODY_BYTES, ...which };
  const { runs } = await call<RunPage>(withQuery("/v2/workflows/events", query), {
    signal,
  });
  const [run] = runs;
  if (run === undefined) return null;
  const invoked = allSteps(run).flatMap((step) =>
    step.invokedWorkflowRunId === undefined || step.invokedWorkflowCreatedAt === undefined
      ? []
      : [`${step.invokedWorkflowRunId}@${step.invokedWorkflowCreatedAt}`],
  );
  const [events, children] = await Promise.all([
    loadEvents([runKey(run)], signal),
    loadChildren(invoked.slice(-CHILDREN_MAX), signal),
  ]);
  return { run, events, children };
}

async function loadEvents(keys: readonly string[], signal: AbortSignal): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const query = { workflowRuns: keys.join(","), count: 1_000, trimBody: ERROR_BYTES, cursor };
    const page: RunEventPage = await call(withQuery("/v2/workflows/events", query), { signal });
    events.push(...page.events);
    cursor = page.cursor;
    if (cursor === undefined || cursor === "") break;
  }
  return events;
}

async function loadChildren(
  keys: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, ChildRun>> {
  if (keys.length === 0) return new Map();
  const query = { workflowRuns: keys.join(","), count: CHILDREN_MAX };
  const [{ runs }, events] = await Promise.all([
    call<RunPage>(withQuery("/v2/workflows/logs", query), { signal }),
    loadEvents(keys, signal),
  ]);
  return new Map(
    runs.map((run) => {
      const own = events.filter(
        ({ workflowRunId, workflowCreatedAt }) =>
          workflowRunId === run.workflowRunId && workflowCreatedAt === run.workflowRunCreatedAt,
      );
      return [run.workflowRunId, { run, steps: timelineOf(run, own) }];
    }),
  );
}

export function isOpenRun({ run }: RunFacts): boolean {
  return !isEnded(run);
}

const BODY_BYTES = 64 * 1024;
const ERROR_BYTES = 2_048;
const PAGES_MAX = 20;
const CHILDREN_MAX = 20;
const SOON_MS = 700;
const EVERY_MS = 15_000;
