import type { Instant } from "../time.ts";
import type { RunFilter } from "./run-filter.ts";
import type { RunPhase } from "./run.ts";

/** The filter of the run log, beyond that of every list of runs. */
export interface RunLogFilter extends RunFilter {
  readonly phases?: readonly RunPhase[] | undefined;
  /** Runs created at one of these instants. */
  readonly createdAts?: readonly Instant[] | undefined;
  /** Only these runs. */
  readonly keys?: readonly { readonly runId: string; readonly createdAt: Instant }[] | undefined;
}

/** The run ids that the filter names in any way. */
export function namedRuns({ keys, runIds }: RunLogFilter): readonly string[] | undefined {
  return keys?.map(({ runId }) => runId) ?? runIds;
}
