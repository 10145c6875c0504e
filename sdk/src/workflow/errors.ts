import { PostriderError } from "../errors.ts";
import type { Duration } from "../duration.ts";

/** A problem of the workflow itself; the step is tried again, as after any error. */
export class WorkflowError extends PostriderError {
  override readonly name: string = "WorkflowError";
}

/** The function does not call the steps that the run has recorded. */
export class StepMismatchError extends WorkflowError {
  override readonly name = "StepMismatchError";
}

/** A step was called inside another one. */
export class NestedStepError extends WorkflowError {
  override readonly name = "NestedStepError";
}

/** Thrown by a workflow: another attempt cannot help, so the run fails at once. */
export class NonRetryableError extends WorkflowError {
  override readonly name = "NonRetryableError";
}

/** Thrown by a workflow: the step is tried again after this time, if it has retries left. */
export class RetryAfterError extends WorkflowError {
  override readonly name = "RetryAfterError";
  readonly retryAfter: Duration;

  constructor(message: string, retryAfter: Duration, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}
