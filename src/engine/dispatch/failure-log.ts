import { Problem } from "../../core/problem.ts";
import type { Log, LogFields } from "../../platform/log.ts";
import { StoreUnavailable } from "../../store/store-unavailable.ts";

/**
 * Logs failures of repeated work: once for each cause, and once when it works again. The store
 * itself logs its outages.
 */
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
