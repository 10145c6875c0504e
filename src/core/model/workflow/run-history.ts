import type { AttemptRecord } from "../message/attempt.ts";
import type { LogEntry } from "../message/log-entry.ts";
import type { Message } from "../message/message.ts";
import type { RunEntry } from "./run-entry.ts";
import type { Run } from "./run.ts";

/** All stored data of a run: its entries, and the states of its messages. */
export interface RunHistory {
  readonly entries: readonly RunEntry[];
  readonly messages: readonly MessageHistory[];
  /** The runs that it has invoked, as far as they are still stored. */
  readonly invoked: readonly InvokedHistory[];
}

export interface InvokedHistory {
  readonly run: Run;
  /** The beginning of its payload. */
  readonly payload: Uint8Array;
}

export interface MessageHistory {
  readonly message: Message;
  /** Its beginning. */
  readonly body: Uint8Array;
  /** In the order of time, each with its attempt. */
  readonly log: readonly LoggedAttempt[];
}

export interface LoggedAttempt {
  readonly entry: LogEntry;
  readonly attempt: AttemptRecord | null;
}
