import type { Outcome } from "../core/model/message/attempt.ts";
import type { Message } from "../core/model/message/message.ts";

/** Makes one HTTP call. Every network error is returned as an Outcome; it never throws. */
export interface Courier {
  /** Sends the message once, with one total deadline of `message.timeoutMs`. */
  send(delivery: Delivery): Sending;
  close(): Promise<void>;
}

export interface Sending {
  /** Resolves once, in every case. */
  readonly outcome: Outcome | Promise<Outcome>;
  /** Ends the call at once; its outcome is then a NoAnswer whose error is ABORTED. */
  abort(): void;
  /** The caller is done with the outcome, so the memory of its answer is freed. */
  release?(): void;
}

export interface Delivery {
  readonly message: Message;
  readonly body: Uint8Array;
  /** Earlier attempts: the destination sees the number as `<Prefix>Retried`. */
  readonly retried: number;
  /** The account's current signing key, in clear. */
  readonly signingKey: string;
  /** Bytes of the answer that are kept; 1 MB by default. */
  readonly answerBytesMax?: number | undefined;
}

/** The error of an attempt that this node aborted itself; it says nothing about the destination. */
export const ABORTED = "aborted by the sender";
