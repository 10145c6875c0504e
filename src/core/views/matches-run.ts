import type { Run, RunState } from "../model/workflow/run.ts";
import type { RunFilter } from "../model/workflow/run-filter.ts";
import type { RunLogFilter } from "../model/workflow/run-log-filter.ts";
import { isAmong } from "./matches-message.ts";

/** Whether a run matches the filter. */
export function matchesRun(filter: RunFilter, run: Run): boolean {
  const { fromAt, toAt } = filter;
  return (
    isAmong(filter.runIds, run.runId) &&
    matchesUrl(filter, run.workflowUrl) &&
    isAmong(filter.callerIps, run.callerIp) &&
    isAmong(filter.flowControlKeys, run.flowControl?.key) &&
    (filter.labels?.some((label) => run.labels?.includes(label)) ?? true) &&
    (fromAt === undefined || run.createdAt >= fromAt) &&
    (toAt === undefined || run.createdAt <= toAt)
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
