import type { AttemptRecord } from "../message/attempt.ts";
import type { DeadLetter } from "../message/dead-letter.ts";
import type { Instant, Message } from "../message/message.ts";
import type { RunFilter } from "./run-filter.ts";
import type { FailureCall, RunState } from "./run.ts";

/** A run that has failed, kept until it is resumed, started again, removed or too old. */
export interface DeadRun {
  readonly deadLetter: DeadLetter;
  readonly state: RunState;
  readonly payload: Uint8Array;
  /** What could not be delivered, and the answer to its last attempt. */
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
  /** The last answer to the call that reports the failure. */
  readonly reportAnswer: AttemptRecord | null;
}

/** Which of them are meant. Dates judge when the run failed. */
export interface DeadRunFilter extends RunFilter {
  readonly deadLetterIds?: readonly string[] | undefined;
  readonly createdAts?: readonly Instant[] | undefined;
  /** Status of the last answer, 0 for none. */
  readonly statuses?: readonly number[] | undefined;
  readonly reportStates?: readonly FailureCall["state"][] | undefined;
}
