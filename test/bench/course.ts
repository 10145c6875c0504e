import type { Destination } from "./destination.ts";
import type { Findings } from "./findings.ts";
import type { RoundPlan } from "./round.ts";

/** Where messages go, what is asked of a subject, how often, and where the results are put. */
export interface Course {
  readonly destination: Destination;
  readonly plan: RoundPlan;
  readonly rounds: number;
  readonly warmUpMessages: number;
  readonly findings: Findings;
}
