/** `npm run reference` writes this file from the schemas of the server. */
import type { FailureFunctionState, HeaderLists } from "./words.ts";

export interface DeadRun {
  /** The id of the dead letter. */
  readonly dlqId: string;
  /** Status of the last answer; 0 without an answer. */
  readonly responseStatus: number;
  /** What failures of one kind have in common: the error, or the name and message in the last answer, else its status. Numbers and ids are masked. */
  readonly cause: string;
  /** How many attempts were made. */
  readonly attempts: number;
  /** The id of the run. */
  readonly workflowRunId: string;
  /** When the run started. Unix milliseconds. */
  readonly workflowCreatedAt: number;
  /** Older name of `callerIp`. */
  readonly callerIP: string;
  /** The address of the client that it came from. */
  readonly callerIp: string;
  /** The id of the message. */
  readonly messageId: string;
  /** The URL of the workflow. */
  readonly url: string;
  /** The URL of the workflow. */
  readonly workflowUrl: string;
  /** The method of the delivery. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Headers that are sent to the destination. */
  readonly header: HeaderLists;
  /** Retries after the first attempt. */
  readonly maxRetries: number;
  /** When the failed message was due. Unix milliseconds. */
  readonly notBefore: number;
  /** When the failed message was created. Unix milliseconds. */
  readonly createdAt: number;
  /** Why the last attempt failed. */
  readonly error?: string;
  /** Headers of the last answer. */
  readonly responseHeader?: HeaderLists;
  /** Body of the last answer, if it is text. */
  readonly responseBody?: string;
  /** Body of the last answer, if it is not text. */
  readonly responseBodyBase64?: string;
  /** Only a part of the body is stored. */
  readonly responseBodyTruncated?: boolean;
  /** The body, if it is text. */
  readonly body?: string;
  /** The body, if it is not text. */
  readonly bodyBase64?: string;
  /** Headers that are sent to the callback. */
  readonly callbackHeader?: HeaderLists;
  /** Headers that are sent to the failure callback. */
  readonly failureCallbackHeader?: HeaderLists;
  /** The expression of `Svc-Retry-Delay`. */
  readonly retryDelayExpression?: string;
  /** URL that is called after every attempt. */
  readonly callback?: string;
  /** URL that is called after the last failure. */
  readonly failureCallback?: string;
  /** The first label. */
  readonly label?: string;
  /** All labels. */
  readonly labels?: readonly string[];
  /** Its flow-control key. */
  readonly flowControlKey?: string;
  /** Parallelism that it set for the key. */
  readonly parallelism?: number;
  /** Rate that it set for the key. */
  readonly rate?: number;
  /** Period of the rate, in seconds. */
  readonly period?: number;
  readonly failureCallbackInfo?: {
    readonly state: FailureFunctionState;
    readonly responseStatus?: number;
    readonly responseBody?: string;
    /** Headers of the answer to the report. */
    readonly responseHeaders?: HeaderLists;
  };
  readonly failureFunctionState?: FailureFunctionState;
}

export interface FailedRunPage {
  readonly messages: readonly DeadRun[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}

export interface RerunRun {
  /** The id of the run. */
  readonly workflowRunId: string;
  /** When the run started. Unix milliseconds. */
  readonly workflowCreatedAt: number;
}

export interface Resumed {
  readonly workflowRuns: readonly RerunRun[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}
