import type { Instant } from "../time.ts";
import { startOfStep, type StatStep } from "./stats.ts";

/** The messages of an account that wait, as counted at one instant. */
export interface Backlog {
  /** Those that could be sent now, if nothing held them back. */
  readonly due: number;
  /** Those whose delay or retry is not over. */
  readonly later: number;
  /** For how long the first of the due ones has been due; null when none is. */
  readonly oldestDueMs: number | null;
}

/** The last count of a step of a series. */
export interface BacklogPoint extends Backlog {
  readonly startAt: Instant;
}

export interface BacklogCount extends Backlog {
  readonly accountId: string;
}

export interface BacklogRow extends BacklogCount {
  readonly step: StatStep;
  readonly startAt: Instant;
}

/** The rows of counts that were made at one instant, one for each length of step. */
export function backlogRows(counts: readonly BacklogCount[], at: Instant): BacklogRow[] {
  const steps: readonly StatStep[] = ["minute", "hour", "day"];
  return counts.flatMap((count) =>
    steps.map((step) => ({ ...count, step, startAt: startOfStep(at, step) })),
  );
}
