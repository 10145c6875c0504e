/** A run with its events and the runs that it started, read again while it changes. */
import type { Run, RunPage } from "../../../sdk/src/answers/workflow.ts";
import type { RunEvent, RunEventPage } from "../answers/workflow.ts";
import { call, withQuery } from "../app/api.ts";
import { useLive } from "../app/live.ts";
import { type Resource, useSource } from "../app/resource.ts";
import { isEnded, runKey } from "./run-log.ts";
import { allSteps } from "./run-state.ts";
import { timelineOf } from "./run-timeline.ts";
import type { ChildRun } from "./waterfall-rows.ts";

export interface RunFacts {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  readonly children: ReadonlyMap<string, ChildRun>;
}

/** The run, or null when there is none of this id. */
type FoundRun = { readonly facts: RunFacts | null };

/** `at` tells apart runs that share an id; without it the newest is meant. */
export function useRun(id: string, at: string | null): Resource<FoundRun> {
  const name = `/v2/workflows/events run ${id} ${at ?? ""}`;
  const load = async (gone: AbortSignal): Promise<FoundRun> => ({
    facts: await loadRun(id, at, gone),
  });
  const resource = useSource({ name, load }, { everyMs: EVERY_MS });
  useLive((entries) => {
    const facts = resource.value?.facts ?? null;
    if (facts === null) return;
    const known = new Set(facts.events.map(({ messageId }) => messageId));
    const { workflowUrl } = facts.run;
    const isOwn = entries.some(({ messageId, url }) => known.has(messageId) || url === workflowUrl);
    if (isOwn) resource.reload(SOON_MS);
  }, true);
  return resource;
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
