/** `npm run reference` writes this file from the schemas of the server. */
import type { FailureFunctionState, HeaderLists, RunState, StepState } from "./words.ts";

export interface Triggered {
  /** The id of the run. */
  readonly workflowRunId: string;
  /** When the run started. Unix milliseconds. */
  readonly workflowCreatedAt: number;
  /** It is a duplicate; nothing was started. */
  readonly deduplicated?: boolean;
}

export interface Run {
  /** The id of the run. */
  readonly workflowRunId: string;
  /** The URL of the workflow. */
  readonly workflowUrl: string;
  /** The state of the run. */
  readonly workflowState: RunState;
  /** When the run started. Unix milliseconds. */
  readonly workflowRunCreatedAt: number;
  /** The address of the client that started it. */
  readonly workflowRunCallerIp: string;
  /** Steps in order; those that ran side by side are together. */
  readonly steps: readonly StepGroup[];
  /** The dead letter of a failed run. */
  readonly dlqId?: string;
  /** The first label. */
  readonly label?: string;
  /** All labels. */
  readonly labels?: readonly string[];
  /** When it ended. Unix milliseconds. */
  readonly workflowRunCompletedAt?: number;
  /** Its result. */
  readonly workflowRunResponse?: string;
  /** The run that invoked it. */
  readonly invoker?: {
    /** The id of the run. */
    readonly workflowRunId: string;
    /** The URL of the workflow. */
    readonly workflowUrl: string;
    /** When the run started. Unix milliseconds. */
    readonly workflowRunCreatedAt: number;
  };
  /** The failed run that it resumes or restarts. */
  readonly rerunOf?: {
    /** The id of the run. */
    readonly workflowRunId: string;
    /** When the run started. Unix milliseconds. */
    readonly workflowRunCreatedAt: number;
  };
  /** The run that resumed or restarted it. */
  readonly followedBy?: {
    /** The id of the run. */
    readonly workflowRunId: string;
    /** When the run started. Unix milliseconds. */
    readonly workflowRunCreatedAt: number;
  };
  readonly failureFunction?: FailureFunctionLog;
  /** Its flow-control key. */
  readonly flowControlKey?: string;
}

export interface RunPage {
  readonly runs: readonly Run[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}

export interface CancelledRuns {
  /** How many runs were canceled. */
  readonly cancelled: number;
}

export interface StepGroup {
  /** `next` is a delivery in progress whose step is not known yet. */
  readonly type: "sequential" | "parallel" | "next";
  readonly steps: readonly StepLog[];
}

export interface StepLog {
  /** The id of the message. */
  readonly messageId: string;
  /** The state of the step. */
  readonly state: StepState;
  /** Absent for the payload of the run. */
  readonly stepId?: number;
  /** Its name in the workflow; of a step that failed if the SDK named it. */
  readonly stepName?: string;
  /** Its kind, such as `Run`, `SleepFor` or `Call`. */
  readonly stepType?: string;
  readonly callType?: string;
  /** When it was recorded. Unix milliseconds. */
  readonly createdAt?: number;
  /** How many steps run side by side with it. */
  readonly concurrent?: number;
  /** Its result. */
  readonly out?: string;
  /** For the payload: the forwarded headers. */
  readonly headers?: HeaderLists;
  /** What a call calls. */
  readonly callUrl?: string;
  readonly callMethod?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Headers of the call. */
  readonly callHeaders?: HeaderLists;
  /** Body of the call. */
  readonly callBody?: string;
  readonly callResponseStatus?: number;
  readonly callResponseBody?: string;
  /** Only a part of the body is stored. */
  readonly callResponseBodyTruncated?: boolean;
  /** Headers of the answer to the call. */
  readonly callResponseHeaders?: HeaderLists;
  /** How long it sleeps, in milliseconds. */
  readonly sleepFor?: number;
  /** When it wakes. Unix seconds. */
  readonly sleepUntil?: number;
  /** The event that it waits for. */
  readonly waitEventId?: string;
  /** The wait timed out. */
  readonly waitTimeout?: boolean;
  /** When the wait times out. Unix milliseconds. */
  readonly waitTimeoutDeadline?: number;
  /** How long it waits. */
  readonly waitTimeoutDuration?: string;
  /** The run that it invoked. */
  readonly invokedWorkflowRunId?: string;
  readonly invokedWorkflowUrl?: string;
  /** When that run started. Unix milliseconds. */
  readonly invokedWorkflowCreatedAt?: number;
  /** The payload of that run. */
  readonly invokedWorkflowRunBody?: string;
  /** Headers of that run. */
  readonly invokedWorkflowRunHeaders?: HeaderLists;
  /** Retries of its delivery. */
  readonly retries?: number;
  /** The expression of `Svc-Retry-Delay`. */
  readonly retryDelay?: string;
  /** When the next attempt is due. Unix milliseconds. */
  readonly nextDeliveryTime?: number;
  /** Failed attempts. */
  readonly errors?: readonly StepError[];
}

export interface StepError {
  readonly error: string;
  /** 0 without an answer. */
  readonly status: number;
  /** When it ended. Unix milliseconds. */
  readonly time: number;
  /** The name of the error in the answer. */
  readonly name?: string;
  /** The message of the error in the answer; at most 1,000 characters. */
  readonly message?: string;
  /** The answer. */
  readonly body?: string;
  /** Only a part of the body is stored. */
  readonly bodyTruncated?: boolean;
  /** Headers of the answer. */
  readonly headers?: HeaderLists;
}

export interface FailureFunctionLog {
  /** The id of the message. */
  readonly messageId: string;
  /** Where the failure is reported. */
  readonly url: string;
  readonly state: FailureFunctionState;
  /** The dead letter of the run. */
  readonly dlqId?: string;
  /** Headers of the answer that failed the run. */
  readonly failHeaders?: HeaderLists;
  readonly failStatus?: number;
  /** The error that failed the run. */
  readonly failResponse?: string;
  /** The answer to the report. */
  readonly responseBody?: string;
  /** Only a part of the body is stored. */
  readonly responseBodyTruncated?: boolean;
  /** Headers of the answer to the report. */
  readonly responseHeaders?: HeaderLists;
  readonly responseStatus?: number;
  readonly maxRetries?: number;
  /** Failed attempts. */
  readonly errors?: readonly StepError[];
}
