import type { HeaderRecord } from "../settings.ts";
import type { StepFields, StepRecord, StepType } from "./step-record.ts";
import type { Submission } from "./submission.ts";

/** One call of the function that the run remembers. */
export interface Step<Result = unknown> {
  readonly name: string;
  readonly type: StepType;
  /** What its record says beside its place; a plan says it too. */
  readonly fields?: StepFields;
  /** When it is to go on, for those that wait for a time. */
  readonly timing?: HeaderRecord;
  /** Does the work, if there is any to do here; what it returns belongs to the record. */
  perform?(submission: Submission): Promise<StepFields>;
  /** Asks the service to do the work, for those whose result does not come from here. */
  open?(record: StepRecord, submission: Submission): Promise<void>;
  /** What the function gets of the record. */
  read(record: StepRecord): Result;
}
