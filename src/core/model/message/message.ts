/** The nouns of delivery. Everything the service ever sends is a Message. */

/** An instant, in unix milliseconds. Names of instants end in `At`, durations in `Ms`. */
export type Instant = number;

/** Which of the two header vocabularies a message was published in, and so is delivered in. */
export type DialectName = "svc" | "upstash";

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** Headers in the order in which they are sent; a name may occur more than once. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A message is known by its account and its id: one account never reaches another's. */
export interface MessageKey {
  readonly accountId: string;
  readonly messageId: string;
}

/**
 * One HTTP request that we have promised to make, and the rules for making it. Written once and
 * never changed; what changes while it lives is its MessageState. The body travels beside it.
 */
export interface Message extends MessageKey {
  readonly kind: MessageKind;
  readonly dialect: DialectName;
  /** The destination exactly as the publisher wrote it: shown, signed and dialled. */
  readonly url: string;
  readonly method: HttpMethod;
  /** The publisher's Content-Type and the forwarded headers, nothing of ours. */
  readonly headers: HeaderList;
  readonly timeoutMs: number;
  /** Retries after the first attempt: attempts in all = 1 + retries. */
  readonly retries: number;
  /** The retry-delay expression as given; the default backoff when absent. */
  readonly retryDelay?: string | undefined;
  readonly callback?: Callback | undefined;
  readonly failureCallback?: Callback | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly redact?: Redaction | undefined;
  readonly flowControl?: FlowControl | undefined;
  readonly queueName?: string | undefined;
  readonly urlGroup?: string | undefined;
  readonly endpointName?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly callerIp: string;
  readonly createdAt: Instant;
  /** No attempt starts before this instant. */
  readonly notBefore: Instant;
  /** The message whose queue slot this one helps to hold: itself, or the one it reports about. */
  readonly rootId?: string | undefined;
  /** How many messages of ours led to this one through our own API; see the loop guard. */
  readonly hops?: number | undefined;
  /** The run that it moves on. */
  readonly run?: RunPosition | undefined;
}

/** Where in a run a message belongs. */
export interface RunPosition {
  readonly runId: string;
  readonly createdAt: Instant;
  readonly workflowUrl: string;
  /** Its entry; what is delivered are the entries up to this one. */
  readonly ordinal: number;
  readonly lazyFetch?: boolean | undefined;
  /** The answer must come from a workflow. */
  readonly detectTrigger?: boolean | undefined;
  /** The run that waits for the end of this one, and its step. */
  readonly invoker?: InvokerStep | undefined;
}

export interface InvokerStep {
  readonly runId: string;
  readonly createdAt: Instant;
  readonly stepId: number;
}

/**
 * Of a run: "step" brings its entries to the endpoint, "call" is a call to a third party and
 * "call-result" brings back what that answered, "failure-call" reports that the run has failed.
 */
export type MessageKind =
  "publish" | "callback" | "failure-callback" | "step" | "call" | "call-result" | "failure-call";

/** Where an outcome is reported, and how. */
export interface Callback {
  readonly url: string;
  readonly method: HttpMethod;
  readonly headers: HeaderList;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly retryDelay?: string | undefined;
  readonly delayMs: number;
  /** It waits for its turn under this key, not under that of what it reports. */
  readonly flowControl?: FlowControl | undefined;
}

/** What readers may not see; deliveries use the original values. */
export interface Redaction {
  readonly body: boolean;
  /** SHA-256 of a hidden body, since readers may be given only a part of it. */
  readonly bodyHash?: string | undefined;
  readonly allHeaders: boolean;
  /** Lower-case names. */
  readonly headers: readonly string[];
}

export interface FlowControl {
  readonly key: string;
  readonly parallelism?: number | undefined;
  readonly rate?: number | undefined;
  readonly periodMs: number;
}
