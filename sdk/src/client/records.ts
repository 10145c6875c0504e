/** The documented fields of the service's responses. Times are unix milliseconds. */

export type HeaderLists = Readonly<Record<string, readonly string[]>>;

export interface Published {
  readonly messageId: string;
  /** The destination: the given URL, or that of the endpoint of a URL group. */
  readonly url: string;
  /** True if an equal message existed already, whose id this is. */
  readonly deduplicated?: true;
}

interface Settings {
  readonly url: string;
  readonly topicName?: string;
  readonly endpointName?: string;
  readonly queueName?: string;
  readonly scheduleId?: string;
  readonly method?: string;
  readonly maxRetries?: number;
  readonly retryDelayExpression?: string;
  readonly callback?: string;
  readonly failureCallback?: string;
  readonly labels?: readonly string[];
  readonly flowControlKey?: string;
  readonly parallelism?: number;
  readonly rate?: number;
  /** Seconds. */
  readonly period?: number;
}

export interface ShownMessage extends Settings {
  readonly messageId: string;
  readonly header: HeaderLists;
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly notBefore: number;
  readonly createdAt: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly callbackHeader?: HeaderLists;
  readonly failureCallbackHeader?: HeaderLists;
  readonly callerIP: string;
}

export interface Message extends ShownMessage {
  /** The newest state in its log. */
  readonly state: LogState;
  /** Why it is not being sent now; only of one message, not in lists. */
  readonly waiting?: {
    readonly reason: string;
    /** Null when it is not known. */
    readonly endsAt: number | null;
    readonly line?: { readonly kind: "queue" | "key" | "host"; readonly name: string };
    /** Of a full queue or key: messages that hold its slots, at most 10. */
    readonly heldBy?: readonly string[];
  };
  /** For a failed message, why its last attempt failed. */
  readonly error?: string;
  /** For a failed message, the status of the last response; 0 if there was none. */
  readonly responseStatus?: number;
  /** For a failed message, its dead letter while that is stored. */
  readonly dlqId?: string;
}

export interface DeadLetter extends ShownMessage {
  readonly dlqId: string;
  readonly error?: string;
  /** What failures of one kind have in common, with numbers and ids masked; a filter. */
  readonly cause: string;
  /** 0 if there was no response. */
  readonly responseStatus: number;
  readonly responseHeader?: HeaderLists;
  readonly responseBody?: string;
  readonly responseBodyBase64?: string;
}

/** How many a bulk call would change. */
export interface BulkCount {
  readonly count: number;
  /** There may be more; counting has ended. */
  readonly isAbout: boolean;
}

export type LogState =
  | "CREATED"
  | "ACTIVE"
  | "DELIVERED"
  | "ERROR"
  | "RETRY"
  | "FAILED"
  | "CANCEL_REQUESTED"
  | "CANCELED";

export interface LogEntry extends Settings {
  readonly time: number;
  readonly messageId: string;
  readonly state: LogState;
  readonly error?: string;
  readonly nextDeliveryTime?: number;
  readonly header?: HeaderLists;
  /** Base64. */
  readonly body?: string;
  readonly responseStatus?: number;
  readonly responseHeaders?: HeaderLists;
  /** Base64. */
  readonly responseBody?: string;
}

export interface Queue {
  readonly name: string;
  readonly parallelism: number;
  readonly paused: boolean;
  /** How many messages wait in it. */
  readonly lag: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Endpoint {
  readonly url: string;
  readonly name?: string;
}

export interface UrlGroup {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Schedule {
  readonly scheduleId: string;
  readonly cron: string;
  readonly destination: string;
  readonly createdAt: number;
  readonly method: string;
  readonly isPaused: boolean;
  readonly header?: HeaderLists;
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly retries?: number;
  /** Seconds. */
  readonly delay?: number;
  readonly callback?: string;
  readonly failureCallback?: string;
  readonly queueName?: string;
  readonly flowControlKey?: string;
  readonly parallelism?: number;
  readonly rate?: number;
  readonly period?: number;
  readonly retryDelayExpression?: string;
  readonly labels?: readonly string[];
  readonly lastScheduleTime?: number;
  readonly nextScheduleTime?: number;
  readonly lastScheduleStates?: Readonly<Record<string, "IN_PROGRESS" | "SUCCESS" | "FAIL">>;
}

export interface FlowControlKey {
  readonly flowControlKey: string;
  readonly waitListSize: number;
  readonly parallelismMax: number;
  readonly parallelismCount: number;
  readonly rateMax: number;
  readonly rateCount: number;
  /** Seconds. */
  readonly ratePeriod: number;
  /** Unix seconds. */
  readonly ratePeriodStart: number;
  readonly isPaused: boolean;
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

export interface SigningKeys {
  readonly current: string;
  readonly next: string;
}
