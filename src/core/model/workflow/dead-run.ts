import type { AttemptRecord } from "../message/attempt.ts";
import type { DeadLetter } from "../message/dead-letter.ts";
import type { Message } from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { RunFilter } from "./run-filter.ts";
import type { FailureCall, RunState } from "./run.ts";

/** A failed run, stored until it is resumed, restarted, deleted or expired. */
export interface DeadRun {
  readonly deadLetter: DeadLetter;
  readonly state: RunState;
  readonly payload: Uint8Array;
  /** The message that could not be delivered, and the response to its last attempt. */
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
  /** The last response to the call that reports the failure. */
  readonly reportAnswer: AttemptRecord | null;
}

/** Filters failed runs. Dates apply to the time of the failure. */
export interface DeadRunFilter extends RunFilter {
  readonly deadLetterIds?: readonly string[] | undefined;
  readonly createdAts?: readonly Instant[] | undefined;
  /** Status of the last response, 0 for none. */
  readonly statuses?: readonly number[] | undefined;
  /** The text of the last error. */
  readonly errors?: readonly string[] | undefined;
  /** What they have in common; see causeOf. */
  readonly causes?: readonly string[] | undefined;
  readonly reportStates?: readonly FailureCall["state"][] | undefined;
}
