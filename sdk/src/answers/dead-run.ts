/** `npm run reference` writes this file from the schemas of the server. */
import type { FailureFunctionState, HeaderLists } from "./words.ts";

export interface FailedRun {
  /** The id of the dead letter. */
  readonly dlqId: string;
  /** The id of the message. */
  readonly messageId: string;
  /** The URL of the workflow. */
  readonly url: string;
  /** The method of the delivery. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Headers of the run. */
  readonly header: HeaderLists;
  /** Retries of each delivery. */
  readonly maxRetries: number;
  /** When the failed message was due. Unix milliseconds. */
  readonly notBefore: number;
  /** When the failed message was created. Unix milliseconds. */
  readonly createdAt: number;
  /** Older name of `callerIp`. */
  readonly callerIP: string;
  /** The address of the client that started the run. */
  readonly callerIp: string;
  /** The id of the run. */
  readonly workflowRunId: string;
  /** When the run started. Unix milliseconds. */
  readonly workflowCreatedAt: number;
  /** The URL of the workflow. */
  readonly workflowUrl: string;
  /** Status of the last answer; 0 without an answer. */
  readonly responseStatus: number;
  /** What failures of one kind have in common: the error, or the name and message in the last answer, else its status. Numbers and ids are masked. */
  readonly cause: string;
  /** The payload, if it is text. */
  readonly body?: string;
  /** The payload, if it is not text. */
  readonly bodyBase64?: string;
  /** The expression of `Svc-Retry-Delay`. */
  readonly retryDelayExpression?: string;
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
  /** URL that is called when the run fails. */
  readonly failureCallback?: string;
  /** Headers that are sent to the failure callback. */
  readonly failureCallbackHeader?: HeaderLists;
  readonly failureCallbackInfo?: {
    readonly state: FailureFunctionState;
    readonly responseStatus?: number;
    readonly responseBody?: string;
    /** Headers of the answer to the report. */
    readonly responseHeaders?: HeaderLists;
  };
  readonly failureFunctionState?: FailureFunctionState;
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
}

export interface FailedRunPage {
  readonly messages: readonly FailedRun[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}
