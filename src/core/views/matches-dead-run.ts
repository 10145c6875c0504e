import { type DeadLetter, deadLetterId } from "../model/message/dead-letter.ts";
import type { DeadRunFilter } from "../model/workflow/dead-run.ts";
import type { RunState } from "../model/workflow/run.ts";
import { matchesRun } from "./matches-run.ts";
import { isAmong, isWithin } from "./matches-values.ts";

/** Whether a failed run matches the filter. */
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
    isAmong(filter.causes, cause) &&
    isAmong(filter.reportStates, failure?.call?.state) &&
    matchesRun(ofRun, run)
  );
}
