import type { Outcome } from "../core/model/attempt.ts";
import type { Message } from "../core/model/message.ts";

/** Makes one HTTP call. Whatever the network does comes back as an Outcome; it never throws. */
export interface Courier {
  /**
   * Sends the message once, with one total deadline of `message.timeoutMs`. An abort of `signal`
   * ends the call at once and comes back as a NoAnswer whose error is ABORTED.
   */
  send(delivery: Delivery, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Delivery {
  readonly message: Message;
  readonly body: Uint8Array;
  /** Attempts made before this one: what the destination sees as `<Prefix>Retried`. */
  readonly retried: number;
  /** The account's current signing key, in clear. */
  readonly signingKey: string;
}

/** The error of an attempt that we cut short ourselves; it says nothing about the destination. */
export const ABORTED = "aborted by the sender";
