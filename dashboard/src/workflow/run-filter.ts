/** The filter of the runs: the URL's words as the API's parameters. */
import { sinceAt } from "../parts/filter-fields.ts";

export const RUN_FILTER_STATES = [
  "RUN_STARTED",
  "sleeping",
  "waiting-for-event",
  "STEP_RETRY",
  "RUN_SUCCESS",
  "RUN_FAILED",
  "RUN_CANCELED",
] as const;
export type RunFilterState = (typeof RUN_FILTER_STATES)[number];

/** What a run does that does nothing else; the API asks for it apart from the states. */
const WAITS: Partial<Record<RunFilterState, string>> = {
  sleeping: "sleep",
  "waiting-for-event": "event",
};

export interface RunFilter {
  readonly state: RunFilterState | null;
  /** A text in the URL or a label. */
  readonly q: string | null;
  readonly workflow: string | null;
  readonly run: string | null;
  readonly label: string | null;
  readonly key: string | null;
  readonly caller: string | null;
  /** How far back, as `1h`, `30m` or `7d`, or since which day. */
  readonly time: string | null;
}

export function runFilterOf(query: URLSearchParams): RunFilter {
  const asked = query.get("state")?.toUpperCase();
  return {
    state: RUN_FILTER_STATES.find((state) => state.toUpperCase() === asked) ?? null,
    q: query.get("q"),
    workflow: query.get("workflow"),
    run: query.get("run"),
    label: query.get("label"),
    key: query.get("key"),
    caller: query.get("caller"),
    time: query.get("time"),
  };
}

export function runQuery(filter: RunFilter, now: number): Record<string, string | number | null> {
  const waitingFor = filter.state === null ? null : (WAITS[filter.state] ?? null);
  return {
    state: waitingFor === null ? filter.state : null,
    waitingFor,
    search: filter.q,
    workflowUrl: filter.workflow,
    workflowRunId: filter.run,
    label: filter.label,
    flowControlKey: filter.key,
    callerIp: filter.caller,
    fromDate: sinceAt(filter.time, now),
  };
}

/** Only the state is filtered, so that counts of the account apply. */
export function isOfAll(filter: RunFilter): boolean {
  return !isFiltered({ ...filter, state: null });
}

export function isFiltered(filter: RunFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}
