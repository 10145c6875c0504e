import type { CommonFilter } from "../message/log-filter.ts";
import type { RunInstance } from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { RunPhase } from "./run.ts";

export interface RunFilter extends CommonFilter {
  readonly runIds?: readonly string[] | undefined;
  readonly workflowUrls?: readonly string[] | undefined;
  /** Runs whose URL begins with one of those given match too. */
  readonly isUrlPrefix?: boolean | undefined;
}

export interface RunLogFilter extends RunFilter {
  readonly phases?: readonly RunPhase[] | undefined;
  readonly createdAts?: readonly Instant[] | undefined;
  readonly keys?: readonly RunInstance[] | undefined;
}

/** The run ids that the filter names in any way. */
export function namedRuns({ keys, runIds }: RunLogFilter): readonly string[] | undefined {
  return keys?.map(({ runId }) => runId) ?? runIds;
}
