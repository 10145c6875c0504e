import type { Run } from "../model/run.ts";
import type { RunFilter } from "../model/run-filter.ts";
import { isAmong } from "./matches-message.ts";

/** Whether a run is among those that were asked for. */
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

function matchesUrl({ workflowUrls, isUrlPrefix }: RunFilter, url: string): boolean {
  return isUrlPrefix === true
    ? (workflowUrls?.some((wanted) => url.startsWith(wanted)) ?? true)
    : isAmong(workflowUrls, url);
}
