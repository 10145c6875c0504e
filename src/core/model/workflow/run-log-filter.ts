import type { Instant } from "../message/message.ts";
import type { RunFilter } from "./run-filter.ts";
import type { RunPhase } from "./run.ts";

/** What the log of runs can be narrowed by, beside what every list of runs can. */
export interface RunLogFilter extends RunFilter {
  readonly phases?: readonly RunPhase[] | undefined;
  /** Runs that were made at one of these instants. */
  readonly createdAts?: readonly Instant[] | undefined;
  /** Some runs and no others. */
  readonly keys?: readonly { readonly runId: string; readonly createdAt: Instant }[] | undefined;
}

/** The ids to which a list can be held: those that are named in any way. */
export function namedRuns({ keys, runIds }: RunLogFilter): readonly string[] | undefined {
  return keys?.map(({ runId }) => runId) ?? runIds;
}
