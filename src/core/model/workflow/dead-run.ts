import type { AttemptRecord } from "../message/attempt.ts";
import type { DeadLetter } from "../message/dead-letter.ts";
import type { Message } from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { FailureFilter } from "../message/log-filter.ts";
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
export interface DeadRunFilter extends RunFilter, FailureFilter {
  readonly createdAts?: readonly Instant[] | undefined;
  readonly reportStates?: readonly FailureCall["state"][] | undefined;
}
