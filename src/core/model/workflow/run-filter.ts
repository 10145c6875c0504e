import type { CommonFilter } from "../message/log-filter.ts";
import type { RunInstance } from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { RunPhase } from "./run.ts";

/** The filter of all lists of runs. */
export interface RunFilter extends CommonFilter {
  readonly runIds?: readonly string[] | undefined;
  readonly workflowUrls?: readonly string[] | undefined;
  /** Runs whose URL begins with one of those given match too. */
  readonly isUrlPrefix?: boolean | undefined;
}

/** The filter of the run log, beyond that of every list of runs. */
export interface RunLogFilter extends RunFilter {
  readonly phases?: readonly RunPhase[] | undefined;
  /** Runs created at one of these instants. */
  readonly createdAts?: readonly Instant[] | undefined;
  /** Only these runs. */
  readonly keys?: readonly RunInstance[] | undefined;
}

/** The run ids that the filter names in any way. */
export function namedRuns({ keys, runIds }: RunLogFilter): readonly string[] | undefined {
  return keys?.map(({ runId }) => runId) ?? runIds;
}
