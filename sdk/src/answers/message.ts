/** `npm run reference` writes this file from the schemas of the server. */
import type { HeaderLists, LogState, WaitReason } from "./words.ts";

export interface Published {
  /** The id of the message. */
  readonly messageId: string;
  /** The destination. */
  readonly url: string;
  /** It is a duplicate; nothing was sent. */
  readonly deduplicated?: boolean;
}

export interface Message {
  /** The id of the message. */
  readonly messageId: string;
  /** The destination. */
  readonly url: string;
  /** The method of the delivery. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Retries after the first attempt. */
  readonly maxRetries: number;
  /** Older name of `callerIp`. */
  readonly callerIP: string;
  /** The address of the client that it came from. */
  readonly callerIp: string;
  /** Headers that are sent to the destination. */
  readonly header: HeaderLists;
  /** No attempt starts before. Unix milliseconds. */
  readonly notBefore: number;
  /** When it was accepted. Unix milliseconds. */
  readonly createdAt: number;
  /** Longest time of one attempt, in seconds. */
  readonly timeout: number;
  /** The newest state in its log. */
  readonly state: LogState;
  /** The URL group that it was published to. */
  readonly topicName?: string;
  /** The name of the endpoint in the URL group. */
  readonly endpointName?: string;
  /** The queue that it goes through. */
  readonly queueName?: string;
  /** The schedule that published it. */
  readonly scheduleId?: string;
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
  /** The body, if it is text. */
  readonly body?: string;
  /** The body, if it is not text. */
  readonly bodyBase64?: string;
  /** Headers that are sent to the callback. */
  readonly callbackHeader?: HeaderLists;
  /** Headers that are sent to the failure callback. */
  readonly failureCallbackHeader?: HeaderLists;
  /** Why the last attempt failed; only of a failed message. */
  readonly error?: string;
  /** Status of the last answer; 0 without an answer. */
  readonly responseStatus?: number;
  /** The id of the dead letter. */
  readonly dlqId?: string;
  readonly waiting?: Wait;
  /** Headers that are added to them, besides `-Signature` and `-Retried`. */
  readonly addedHeader?: HeaderLists;
  /** The message that it is a callback of. */
  readonly sourceMessageId?: string;
}

export interface MessagePage {
  readonly messages: readonly Message[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}

export interface Wait {
  readonly reason: WaitReason;
  /** When the wait ends, if that is known. Unix milliseconds. */
  readonly endsAt: number | null;
  readonly line?: {
    readonly kind: "queue" | "key" | "host";
    /** Its name. */
    readonly name: string;
  };
  readonly pausedBy?: "service" | "account" | "queue" | "key";
  /** Of a full queue or key: the messages that hold its slots, at most 10. */
  readonly heldBy?: readonly string[];
}

export interface LogEntry {
  /** When the state changed. Unix milliseconds. */
  readonly time: number;
  /** The new state. */
  readonly state: LogState;
  /** The id of the message. */
  readonly messageId: string;
  /** The destination. */
  readonly url: string;
  /** The method of the delivery. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Retries after the first attempt. */
  readonly maxRetries: number;
  /** Longest time of one attempt, in milliseconds. */
  readonly timeout: number;
  /** The address of the client that published the message. */
  readonly callerIp: string;
  /** Why the attempt failed. */
  readonly error?: string;
  /** When the next attempt is due. Unix milliseconds. */
  readonly nextDeliveryTime?: number;
  /** The URL group that it was published to. */
  readonly topicName?: string;
  /** The name of the endpoint in the URL group. */
  readonly endpointName?: string;
  /** The queue that it goes through. */
  readonly queueName?: string;
  /** The schedule that published it. */
  readonly scheduleId?: string;
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
  /** Older name of `retryDelayExpression`. */
  readonly retryDelayExpr?: string;
  /** Headers of the message. */
  readonly header?: HeaderLists;
  /** The body in base64. */
  readonly body?: string;
  /** Headers that are sent to the callback. */
  readonly callbackHeaders?: HeaderLists;
  /** Headers that are sent to the failure callback. */
  readonly failureCallbackHeaders?: HeaderLists;
  /** The number of the attempt, from 1. */
  readonly attempt?: number;
  /** When the attempt started. Unix milliseconds. */
  readonly attemptStartedAt?: number;
  /** How long the attempt took. */
  readonly attemptDurationMs?: number;
  /** The node that made the attempt. */
  readonly nodeId?: string;
  /** Status of the answer. */
  readonly responseStatus?: number;
  /** Older name of `responseHeaders`. */
  readonly responseHeader?: HeaderLists;
  /** Headers of the answer. */
  readonly responseHeaders?: HeaderLists;
  /** Body of the answer in base64. */
  readonly responseBody?: string;
  /** Only a part of the body is stored. */
  readonly responseBodyTruncated?: boolean;
}

export interface LogPage {
  readonly logs: readonly LogEntry[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
  /** How many entries were searched for this page; not of the last one. */
  readonly searched?: number;
}

export interface CancelledCount {
  /** How many were canceled. */
  readonly cancelled: number;
  /** How many of them had an attempt in progress. */
  readonly inFlight?: number;
}

export interface SentManyNow {
  /** How many waited for a time, and are due. */
  readonly retried: number;
  /** Present when there is more: send it to continue. */
  readonly cursor?: string;
}

export interface Callback {
  /** The callback is a message with this id. */
  readonly messageId: string;
  readonly kind: "callback" | "failure-callback";
  /** Where it is sent. */
  readonly url: string;
  /** The newest state in its log. */
  readonly state: LogState;
  /** When it was made. Unix milliseconds. */
  readonly createdAt: number;
}

export interface Callbacks {
  readonly callbacks: readonly Callback[];
}

export interface WaitingRow extends Wait {
  /** Messages that wait for this. */
  readonly count: number;
  /** There may be more. */
  readonly isAbout: boolean;
  readonly oldest: {
    /** The oldest message that waits for this. */
    readonly messageId: string;
    /** Its destination. */
    readonly url: string;
    /** When it was accepted. Unix milliseconds. */
    readonly createdAt: number;
  } | null;
}

export interface WaitingReasons {
  readonly reasons: readonly WaitingRow[];
  /** Not all lines were read. */
  readonly isPartial: boolean;
}
