import type { Instant } from "../time.ts";

/** The nouns of delivery. Everything the service sends is a Message. */

/** The two header vocabularies. */
export type DialectName = "svc" | "upstash";

/** In which of them a message is delivered: the one that its publisher used, or both. */
export const DIALECT_CHOICES = ["svc", "upstash", "both"] as const;
export type DialectChoice = (typeof DIALECT_CHOICES)[number];

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** Headers in the order in which they are sent; a name may occur more than once. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A message is identified by its account and its id, so one account never reaches another's. */
export interface MessageKey {
  readonly accountId: string;
  readonly messageId: string;
}

/**
 * One HTTP request that the service has promised to make, and its settings. It is written once and
 * never changed; MessageState changes. The body is stored separately.
 */
export interface Message extends MessageKey {
  readonly kind: MessageKind;
  readonly dialect: DialectChoice;
  /** The destination exactly as the publisher wrote it: shown, signed and dialed. */
  readonly url: string;
  readonly method: HttpMethod;
  /** The publisher's Content-Type and the forwarded headers, without ours. */
  readonly headers: HeaderList;
  readonly settings: Settings;
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
  /** The message that a callback reports about. */
  readonly sourceId?: string | undefined;
  /** How many messages of this service led to this one through its own API; see the loop guard. */
  readonly hops?: number | undefined;
  readonly run?: RunPosition | undefined;
  /** Of a large report: what is stored of its body beside the message that it reports about. */
  readonly ahead?: BodyAhead | undefined;
}

/** The beginning of a body that is stored in pieces; the rest follows it. See BodyPiece. */
export interface BodyAhead {
  readonly attempt: number;
  readonly bytes: number;
}

/** One of the runs of an account: an id may be used again, but not at the same instant. */
export interface RunInstance {
  readonly runId: string;
  readonly createdAt: Instant;
}

export interface RunPosition extends RunInstance {
  readonly workflowUrl: string;
  /** The number of its entry; the delivery carries the entries up to this one. */
  readonly ordinal: number;
  readonly lazyFetch?: boolean | undefined;
  /** The response must come from a workflow. */
  readonly detectTrigger?: boolean | undefined;
  /** The run that waits for the end of this one, and its step. */
  readonly invoker?: InvokerStep | undefined;
}

interface InvokerStep extends RunInstance {
  readonly stepId: number;
}

/**
 * In a run, "step" delivers the entries to the endpoint, "call" is a call to a third party,
 * "call-result" delivers its response, and "failure-call" reports that the run has failed.
 */
export type MessageKind =
  | "publish"
  | "callback"
  | "failure-callback"
  | "step"
  | "call"
  | "call-result"
  | "failure-call";

/** How one request is delivered: a message, or the report of one. */
export interface DeliverySettings {
  /** The longest time of one attempt. */
  readonly timeoutMs: number;
  /** Retries after the first attempt: 1 + retries attempts in all. */
  readonly retries: number;
  /** The retry-delay expression as given; the default backoff when absent. */
  readonly retryDelay?: string | undefined;
  readonly flowControl?: FlowControl | undefined;
}

/** The settings of a message, a run or a schedule. They are passed on whole. */
export interface Settings extends DeliverySettings {
  readonly callback?: Callback | undefined;
  readonly failureCallback?: Callback | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly redact?: Redaction | undefined;
}

/** Where a result is reported, and how. Its own key, not that of the message, holds it back. */
export interface Callback extends DeliverySettings {
  readonly url: string;
  readonly method: HttpMethod;
  readonly headers: HeaderList;
  readonly delayMs: number;
}

/** What readers may not see; deliveries use the original values. */
export interface Redaction {
  readonly body: boolean;
  /** SHA-256 of a hidden body, since readers may load only a part of it. */
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

/** The mutable part: a row, deleted when the message has ended; its log and attempts remain. */
export interface MessageState extends MessageKey {
  readonly phase: "waiting" | "active";
  readonly attempts: number;
  /** In due time. `NO_DELAY` while it is in a queue, unless a delay was requested. */
  readonly readyAt: Instant;
  /** The one line it is in; see line.ts. */
  readonly line: string;
  /** Its line once its queue has admitted it; null when it is in no queue. */
  readonly lineAfter: string | null;
  readonly host: string;
  /** Size of its body, for the byte budget of a claim. */
  readonly bytes: number;
  /** Grows with every lease and every lost lease; a settlement with an older fence is void. */
  readonly fence: number;
  readonly nodeId: string | null;
  /** In due time. */
  readonly leasedAt: Instant | null;
  /** Leases lost to crashes. They use up no retry; too many make the message a suspect. */
  readonly losses: number;
  readonly cancelRequested: boolean;
  /** The message whose queue slot it helps to hold; null outside queues. */
  readonly rootId: string | null;
  /** The queue that admitted that message, whose slot is freed when no message of it is left. */
  readonly queue: string | null;
  /** The run it belongs to, with which it ends; null outside runs. */
  readonly run: RunInstance | null;
}

/** Always past, whatever the clock shows: in a queue only a delay makes a message wait. */
export const NO_DELAY: Instant = 0;

/** The right of one node to settle one message. */
export interface Lease extends MessageKey {
  readonly fence: number;
}

/** A lease before its message is read. */
export interface GrantedLease extends Lease {
  readonly host: string;
  /** Earlier attempts. */
  readonly attempts: number;
}

/** From this many lost leases on, a message runs only when no other suspect does. */
export const SUSPECT_LOSSES = 3;
/** A message with this many lost leases is poison, and becomes a dead letter. */
export const POISON_LOSSES = SUSPECT_LOSSES + 10;

export function isSuspect(state: MessageState): boolean {
  return state.losses >= SUSPECT_LOSSES;
}
