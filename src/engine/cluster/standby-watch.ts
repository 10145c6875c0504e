import type { EngineOptions } from "../engine-options.ts";

/**
 * Watches, where the operator demands it, that a commit waits for a synchronous standby. Deliveries
 * continue without one: what they record can at worst be lost, and then a message is sent again.
 */
export class StandbyWatch {
  readonly #options: EngineOptions;
  #isMissing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Nothing may be accepted, since a failover could lose it. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  async look(): Promise<void> {
    const { store, log, requiresStandby } = this.#options;
    if (!requiresStandby) return;
    const isMissing = (await store.reader.service.durability()) !== "standby";
    if (isMissing && !this.#isMissing) {
      log.error("PostgreSQL names no synchronous standby; publishing is refused");
    }
    if (!isMissing && this.#isMissing) {
      log.warn("PostgreSQL names a synchronous standby again; publishing is accepted");
    }
    this.#isMissing = isMissing;
  }
}
