import type { HeaderRecord } from "../settings.ts";
import type { StepFields, StepRecord, StepType } from "./step-record.ts";
import type { Submission } from "./submission.ts";

/** One recorded call of the function. */
export interface Step<Result = unknown> {
  readonly name: string;
  readonly type: StepType;
  /** The fields of its record beside its position; its plan has them too. */
  readonly fields?: StepFields;
  /** When to continue, for steps that wait for a time. */
  readonly timing?: HeaderRecord;
  /** Does the work, if it is done here; the returned fields belong to the record. */
  perform?(submission: Submission): Promise<StepFields>;
  /** Asks the service to do the work, for steps whose result does not come from here. */
  open?(record: StepRecord, submission: Submission): Promise<void>;
  /** The step's result from its record. */
  read(record: StepRecord): Result;
}
