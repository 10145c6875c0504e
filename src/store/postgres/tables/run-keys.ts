import type { RunKey, RunState } from "../../../core/model/workflow/run.ts";
import type { RunNeed } from "../../../core/run-rows.ts";
import { columnsOf } from "../group/columns.ts";

/** A run that was found, and what the rules need of it. */
export interface FoundNeed {
  readonly need: RunNeed;
  readonly state: RunState;
}

export function keyColumns(keys: Iterable<RunKey>): unknown[][] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ runId }) => runId,
    ({ createdAt }) => createdAt,
  );
}
