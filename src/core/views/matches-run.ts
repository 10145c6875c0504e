import { type DeadLetter, deadLetterId } from "../model/message/dead-letter.ts";
import type { DeadRunFilter } from "../model/workflow/dead-run.ts";
import type { Run, RunState } from "../model/workflow/run.ts";
import type { RunFilter, RunLogFilter } from "../model/workflow/run-filter.ts";
import {
  failureTexts,
  isAmong,
  isWithin,
  isWithinText,
  matchesAddress,
  matchesCommon,
} from "./matches-message.ts";

export function matchesRun(filter: RunFilter, run: Run, error = ""): boolean {
  const { workflowUrl, settings } = run;
  return (
    isWithinText(filter.search, [workflowUrl, error, ...(settings.labels ?? [])]) &&
    isAmong(filter.runIds, run.runId) &&
    matchesUrl(filter, run.workflowUrl) &&
    matchesCommon(filter, run) &&
    isWithin(filter, run.createdAt)
  );
}

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

export function matchesDeadRun(
  filter: DeadRunFilter,
  deadLetter: DeadLetter,
  { run, failure }: RunState,
): boolean {
  const { fromAt, toAt, ...ofRun } = filter;
  const { diedAt, status, error, cause } = deadLetter;
  return (
    isWithin({ fromAt, toAt }, diedAt) &&
    isAmong(filter.deadLetterIds, deadLetterId(deadLetter)) &&
    isAmong(filter.createdAts, run.createdAt) &&
    isAmong(filter.statuses, status) &&
    isAmong(filter.errors, error ?? "") &&
    isWithinText(filter.errorText, failureTexts(deadLetter)) &&
    isAmong(filter.causes, cause) &&
    matchesAddress({ hosts: filter.hosts }, run.workflowUrl) &&
    isAmong(filter.reportStates, failure?.call?.state) &&
    matchesRun(ofRun, run, failureTexts(deadLetter).join(" "))
  );
}
