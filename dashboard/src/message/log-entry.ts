/** What the API says of a message and of its log. */
export type MessageState =
  | "CREATED"
  | "ACTIVE"
  | "RETRY"
  | "ERROR"
  | "DELIVERED"
  | "FAILED"
  | "CANCEL_REQUESTED"
  | "CANCELED";

export type HeaderValues = Readonly<Record<string, readonly string[]>>;

interface MessageSettings {
  readonly messageId: string;
  readonly url: string;
  readonly method: string;
  readonly maxRetries: number;
  readonly retryDelayExpression?: string;
  readonly label?: string;
  readonly labels?: readonly string[];
  readonly queueName?: string;
  readonly flowControlKey?: string;
  readonly scheduleId?: string;
  readonly topicName?: string;
  readonly callback?: string;
  readonly failureCallback?: string;
  readonly header?: HeaderValues;
  readonly callerIp?: string;
}

/** One entry of `GET /v2/logs`. */
export interface LogEntry extends MessageSettings {
  readonly time: number;
  readonly state: MessageState;
  readonly error?: string;
  readonly nextDeliveryTime?: number;
  /** In base64. */
  readonly body?: string;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly attempt?: number;
  readonly attemptStartedAt?: number;
  readonly attemptDurationMs?: number;
  readonly nodeId?: string;
  readonly responseStatus?: number;
  readonly responseHeaders?: HeaderValues;
  /** In base64. */
  readonly responseBody?: string;
  readonly responseBodyTruncated?: boolean;
}

/** `GET /v2/messages/{id}`, and a row of `GET /v2/messages`. */
export interface Message extends MessageSettings {
  readonly state: MessageState;
  readonly createdAt: number;
  readonly notBefore?: number;
  /** As text, or in base64 when it is none. */
  readonly body?: string;
  readonly bodyBase64?: string;
  /** In seconds. */
  readonly timeout?: number;
  readonly waiting?: Waiting;
}

export type WaitingReason =
  | "delay"
  | "retry"
  | "paused"
  | "queue-full"
  | "key-rate"
  | "key-parallelism"
  | "account-parallelism"
  | "host-full"
  | "host-failing"
  | "node-full";

export interface WaitingLine {
  readonly kind: "queue" | "key" | "host";
  readonly name: string;
}

export interface Waiting {
  readonly reason: WaitingReason;
  readonly endsAt: number | null;
  readonly line?: WaitingLine;
}

/** A row of `GET /v2/waiting`. */
export interface WaitingRow extends Waiting {
  readonly count: number;
  /** The count is from a part of the messages. */
  readonly isAbout: boolean;
  /** Null when it has ended in the meantime. */
  readonly oldest: OldestWaiting | null;
}

export interface OldestWaiting {
  readonly messageId: string;
  readonly url: string;
  readonly createdAt: number;
}

/** The answer of `GET /v2/waiting`. */
export interface WaitingReport {
  readonly reasons: readonly WaitingRow[];
  /** Not all lines were read. */
  readonly isPartial: boolean;
}
