import type { AttemptRecord } from "./attempt.ts";
import type { Message, MessageKey } from "./message.ts";
import type { Instant } from "../time.ts";

export const LOG_STATES = [
  "CREATED",
  "ACTIVE",
  "DELIVERED",
  "ERROR",
  "RETRY",
  "FAILED",
  "CANCEL_REQUESTED",
  "CANCELED",
] as const;
export type LogState = (typeof LOG_STATES)[number];

/** One state change of a message, as listed. The settings shown with it are the message's. */
export interface LogEntry extends MessageKey {
  readonly at: Instant;
  readonly state: LogState;
  /** The number of the attempt, 1 for the first; absent before the first. */
  readonly attempt?: number | undefined;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** When the next attempt is due, for RETRY. */
  readonly nextAt?: Instant | undefined;
}

export interface LoggedEntry {
  readonly entry: LogEntry;
  readonly message: Message;
  readonly body: Uint8Array;
  /** The attempt that an ERROR or DELIVERED entry describes. */
  readonly attempt: AttemptRecord | null;
}
