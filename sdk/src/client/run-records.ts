/** The service's records of runs. Times are unix milliseconds. */
import type { DeadLetter, HeaderLists } from "./records.ts";

export type RunState = "RUN_STARTED" | "RUN_SUCCESS" | "RUN_FAILED" | "RUN_CANCELED";

export type StepState =
  | "STEP_SUCCESS"
  | "STEP_RETRY"
  | "STEP_FAILED"
  | "STEP_PROGRESS"
  | "STEP_CANCELED";

export type FailureFunctionState =
  | "CALLBACK_INPROGRESS"
  | "CALLBACK_SUCCESS"
  | "CALLBACK_FAIL"
  | "CALLBACK_CANCELED";

/** A run that was started. */
export interface Triggered {
  readonly workflowRunId: string;
  readonly workflowCreatedAt: number;
  /** True if a run with this id had not ended. */
  readonly deduplicated?: boolean;
}

export interface StepLog {
  readonly stepId?: number;
  readonly stepName?: string;
  readonly stepType?: string;
  readonly callType?: string;
  readonly messageId: string;
  readonly state: StepState;
  readonly createdAt?: number;
  readonly out?: string;
  readonly concurrent?: number;
  readonly headers?: HeaderLists;
  /** Milliseconds. */
  readonly sleepFor?: number;
  /** Unix seconds. */
  readonly sleepUntil?: number;
  readonly callUrl?: string;
  readonly callMethod?: string;
  readonly callBody?: string;
  readonly callHeaders?: HeaderLists;
  readonly callResponseStatus?: number;
  readonly callResponseBody?: string;
  readonly callResponseHeaders?: HeaderLists;
  readonly waitEventId?: string;
  readonly waitTimeout?: boolean;
  readonly waitTimeoutDeadline?: number;
  readonly invokedWorkflowRunId?: string;
  readonly invokedWorkflowUrl?: string;
  readonly invokedWorkflowCreatedAt?: number;
  readonly invokedWorkflowRunBody?: string;
  readonly invokedWorkflowRunHeaders?: HeaderLists;
  readonly retries?: number;
  readonly nextDeliveryTime?: number;
  readonly errors?: readonly StepError[];
}

export interface StepError {
  readonly error: string;
  /** The name and the message of the error that the endpoint answered with. */
  readonly name?: string;
  readonly message?: string;
  readonly body?: string;
  readonly headers?: HeaderLists;
  readonly status?: number;
  readonly time: number;
}

export interface StepGroup {
  /** `next` is a delivery in progress whose step is not known yet. */
  readonly type: "sequential" | "parallel" | "next";
  readonly steps: readonly StepLog[];
}

export interface FailureFunctionLog {
  readonly messageId: string;
  readonly url: string;
  readonly state: FailureFunctionState;
  readonly dlqId?: string;
  readonly failStatus?: number;
  readonly failResponse?: string;
  readonly failHeaders?: HeaderLists;
  readonly responseStatus?: number;
  readonly responseBody?: string;
  readonly responseHeaders?: HeaderLists;
  readonly maxRetries?: number;
}

export interface Run {
  readonly workflowRunId: string;
  readonly workflowUrl: string;
  readonly workflowState: RunState;
  readonly workflowRunCreatedAt: number;
  readonly workflowRunCompletedAt?: number;
  readonly workflowRunCallerIp?: string;
  /** What the function returned, as JSON. */
  readonly workflowRunResponse?: string;
  readonly steps: readonly StepGroup[];
  readonly invoker?: {
    readonly workflowRunId: string;
    readonly workflowUrl: string;
    readonly workflowRunCreatedAt: number;
  };
  readonly failureFunction?: FailureFunctionLog;
  readonly dlqId?: string;
  readonly labels?: readonly string[];
  readonly flowControlKey?: string;
}

/** A failed run. */
export interface DeadRun extends DeadLetter {
  readonly workflowRunId: string;
  readonly workflowCreatedAt: number;
  readonly workflowUrl: string;
  readonly failureFunctionState?: FailureFunctionState;
}
