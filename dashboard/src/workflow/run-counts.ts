/** How many runs each tab of the list would show. */
import type { RunCounts } from "../answers/workflow.ts";
import { useResource } from "../app/resource.ts";
import type { TabCount } from "../parts/list-parts.tsx";
import { isOfAll, type RunFilter } from "./run-filter.ts";

/** Nothing where a filter is set, which the counts of the account know nothing of. */
export function useRunCounts(filter: RunFilter): Readonly<Record<string, TabCount>> {
  const counts = useResource<RunCounts>(isOfAll(filter) ? "/v2/workflows/counts" : null, EVERY_MS);
  return counts.value === null ? {} : tabCounts(counts.value);
}

export function tabCounts({
  states: { STEP_RETRY, ...ended },
  waitingFor,
  isAbout,
  isOpenAbout,
}: RunCounts): Record<string, TabCount> {
  const all = Object.values(ended).reduce((sum, count) => sum + count, 0);
  const kept = (count: number): TabCount => ({ count, isAbout, says: "Runs that are kept" });
  const open = (count: number): TabCount => ({ count, isAbout: isOpenAbout, says: "Now" });
  return {
    "": kept(all),
    RUN_STARTED: kept(ended.RUN_STARTED),
    RUN_SUCCESS: kept(ended.RUN_SUCCESS),
    RUN_FAILED: kept(ended.RUN_FAILED),
    RUN_CANCELED: kept(ended.RUN_CANCELED),
    STEP_RETRY: open(STEP_RETRY),
    sleeping: open(waitingFor.sleep),
    "waiting-for-event": open(waitingFor.event),
  };
}

const EVERY_MS = 10_000;
