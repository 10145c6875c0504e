import type { Run, RunState } from "../model/workflow/run.ts";
import type { RunFilter } from "../model/workflow/run-filter.ts";
import type { RunLogFilter } from "../model/workflow/run-log-filter.ts";
import { isAmong, isWithin, matchesCommon } from "./matches-values.ts";

/** Whether a run matches the filter. */
export function matchesRun(filter: RunFilter, run: Run): boolean {
  return (
    isAmong(filter.runIds, run.runId) &&
    matchesUrl(filter, run.workflowUrl) &&
    matchesCommon(filter, run) &&
    isWithin(filter, run.createdAt)
  );
}

/** Whether the log of a run matches the filter. */
export function matchesRunLog(filter: RunLogFilter, { run, phase }: RunState): boolean {
  const { keys, createdAts, phases } = filter;
  return (
    isAmong(phases, phase) &&
    isAmong(createdAts, run.createdAt) &&
    (keys?.some((key) => key.runId === run.runId && key.createdAt === run.createdAt) ?? true) &&
    matchesRun(filter, run)
  );
}

function matchesUrl({ workflowUrls, isUrlPrefix }: RunFilter, url: string): boolean {
  return isUrlPrefix === true
    ? (workflowUrls?.some((wanted) => url.startsWith(wanted)) ?? true)
    : isAmong(workflowUrls, url);
}
