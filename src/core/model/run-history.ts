import type { AttemptRecord } from "./attempt.ts";
import type { LogEntry } from "./log-entry.ts";
import type { Message } from "./message.ts";
import type { RunEntry } from "./run-entry.ts";

/** All that is kept of what a run did: its entries, and what became of its messages. */
export interface RunHistory {
  readonly entries: readonly RunEntry[];
  readonly messages: readonly MessageHistory[];
}

export interface MessageHistory {
  readonly message: Message;
  /** Its beginning. */
  readonly body: Uint8Array;
  /** In the order of time, each with the attempt that it tells of. */
  readonly log: readonly LoggedAttempt[];
}

export interface LoggedAttempt {
  readonly entry: LogEntry;
  readonly attempt: AttemptRecord | null;
}
