import type { Log } from "../platform/log.ts";
import { FailureLog } from "./dispatch/failure-log.ts";

/** Work that is done again and again. Any number of nodes may do it at once. */
export interface Chore {
  /** What the log says when it fails. */
  readonly failure: string;
  /** Does what is due. Returns how long to wait until the next time. */
  runOnce(): Promise<number>;
  /** It threw; it will be tried again after a pause. */
  onFailure?(): void;
}

/** A chore and what is told of its failures, as a loop wants them. */
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
