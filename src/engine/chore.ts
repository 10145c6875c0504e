import type { Log, LogFields } from "../platform/log.ts";
import type { Instant } from "../core/model/time.ts";
import { Problem } from "../core/problem.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";

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

/** How long to wait for the next due work, when earlier work may be added meanwhile. */
export function waitMsUntil(nextAt: Instant | null, now: Instant, pollMs: number): number {
  return nextAt === null ? pollMs : Math.min(pollMs, Math.max(0, nextAt - now));
}

/**
 * How often a loop asks what is upcoming, and how old the answer may be: something may have been
 * added meanwhile, by other nodes too, and the wall clock may be set.
 */
export function pollMsOf({ alone }: { readonly alone: boolean }): number {
  return alone ? 500 : 250;
}

/** Logs failures once for each cause, and once when it works again. The store logs its outages. */
export class FailureLog {
  readonly #log: Log;
  readonly #event: string;
  #lastCause: string | null = null;

  constructor(log: Log, event: string) {
    this.#log = log;
    this.#event = event;
  }

  failed(error: unknown): void {
    if (error instanceof StoreUnavailable) return;
    const cause = error instanceof Error ? error.message : String(error);
    if (cause === this.#lastCause) return;
    this.#lastCause = cause;
    this.#log.warn(this.#event, failureFields(error));
  }

  worked(): void {
    if (this.#lastCause === null) return;
    this.#lastCause = null;
    this.#log.info(`${this.#event}: it works again`);
  }
}

/** The log fields of an error: the sentence of a refusal, and a defect with its stack. */
export function failureFields(error: unknown): LogFields {
  return error instanceof Problem ? { reason: error.message } : { error };
}
