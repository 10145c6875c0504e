/** The filter of the runs: the URL's words as the API's parameters. */
import { TIMES } from "../parts/filter-fields.ts";

export const RUN_FILTER_STATES = [
  "RUN_STARTED",
  "STEP_RETRY",
  "RUN_SUCCESS",
  "RUN_FAILED",
  "RUN_CANCELED",
] as const;
export type RunFilterState = (typeof RUN_FILTER_STATES)[number];

export interface RunFilter {
  readonly state: RunFilterState | null;
  readonly workflow: string | null;
  readonly run: string | null;
  readonly label: string | null;
  readonly key: string | null;
  readonly caller: string | null;
  /** How far back, as `1h`, `24h` or `7d`. */
  readonly time: string | null;
}

export function runFilterOf(query: URLSearchParams): RunFilter {
  const state = query.get("state")?.toUpperCase() as RunFilterState | undefined;
  return {
    state: state !== undefined && RUN_FILTER_STATES.includes(state) ? state : null,
    workflow: query.get("workflow"),
    run: query.get("run"),
    label: query.get("label"),
    key: query.get("key"),
    caller: query.get("caller"),
    time: query.get("time"),
  };
}

export function runQuery(filter: RunFilter, now: number): Record<string, string | number | null> {
  const age = filter.time === null ? undefined : TIMES[filter.time];
  return {
    state: filter.state,
    workflowUrl: filter.workflow,
    workflowRunId: filter.run,
    label: filter.label,
    flowControlKey: filter.key,
    callerIp: filter.caller,
    fromDate: age === undefined ? null : now - age.ms,
  };
}

export function isFiltered(filter: RunFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}
