/** `npm run reference` writes this file from the schemas of the server. */
import type { HeaderLists } from "./words.ts";
import type { Published } from "./message.ts";

export interface DeadLetter {
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
  /** The id of the dead letter. */
  readonly dlqId: string;
  /** Status of the last answer; 0 without an answer. */
  readonly responseStatus: number;
  /** What failures of one kind have in common: the error, or the name and message in the last answer, else its status. Numbers and ids are masked. */
  readonly cause: string;
  /** How many attempts were made. */
  readonly attempts: number;
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
}

export interface DeadLetterPage {
  readonly messages: readonly DeadLetter[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}

export interface RetriedMessages {
  readonly responses: readonly Published[];
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}

export interface BulkCount {
  /** Nothing was changed. */
  readonly dryRun: boolean;
  /** How many would be changed. */
  readonly count: number;
  /** There may be more. */
  readonly isAbout: boolean;
}

export interface DeletedCount {
  /** How many were deleted. */
  readonly deleted: number;
  /** Send it to get the next page. Absent or empty on the last page. */
  readonly cursor?: string;
}

export interface DeadLetterGroup {
  /** Status of the last answer; 0 without an answer. */
  readonly responseStatus: number;
  /** What failures of one kind have in common: the error, or the name and message in the last answer, else its status. Numbers and ids are masked. */
  readonly cause: string;
  /** How many dead letters have it in common. */
  readonly count: number;
  /** How many attempts were made of all of them. */
  readonly attempts: number;
  /** When the oldest of them failed. Unix milliseconds. */
  readonly firstAt: number;
  /** When the newest of them failed. Unix milliseconds. */
  readonly lastAt: number;
  /** By the hour in which they failed, the newest first. */
  readonly hours: readonly {
    /** When the hour begins. Unix milliseconds. */
    readonly at: number;
    /** How many of them failed in it. */
    readonly count: number;
  }[];
  /** Why the last attempt failed, where all of them have the same text. */
  readonly error?: string;
}

export interface DeadLetterGroups {
  readonly groups: readonly DeadLetterGroup[];
}

export interface DeadLetterHost {
  /** The host, with its port if the URL has one. */
  readonly host: string;
  /** How many dead letters have it in common. */
  readonly count: number;
  /** How many attempts were made of all of them. */
  readonly attempts: number;
  /** When the oldest of them failed. Unix milliseconds. */
  readonly firstAt: number;
  /** When the newest of them failed. Unix milliseconds. */
  readonly lastAt: number;
  /** By the hour in which they failed, the newest first. */
  readonly hours: readonly {
    /** When the hour begins. Unix milliseconds. */
    readonly at: number;
    /** How many of them failed in it. */
    readonly count: number;
  }[];
}

export interface DeadLetterHosts {
  readonly hosts: readonly DeadLetterHost[];
}
