import type { Log } from "../platform/log.ts";
import { FailureLog } from "./dispatch/failure-log.ts";

/** Work that is repeated. Any number of nodes may do it at once. */
export interface Chore {
  /** The log message when it fails. */
  readonly failure: string;
  /** Does all due work. Returns how long to wait until the next time. */
  runOnce(): Promise<number>;
  /** It threw; it is tried again after a pause. */
  onFailure?(): void;
}

/** A chore with logging of its failures, in the form of a loop. */
export function watchedChore(
  chore: Chore,
  log: Log,
): { runOnce: () => Promise<number>; onError: (error: unknown) => void } {
  const failures = new FailureLog(log, chore.failure);
  return {
    runOnce: async () => {
      const waitMs = await chore.runOnce();
      failures.worked();
      return waitMs;
    },
    onError: (error) => {
      failures.failed(error);
      chore.onFailure?.();
    },
  };
}
