import type { Clock } from "../../platform/clock.ts";
import type { Store } from "../../store/store.ts";

const FRESH_MS = 5_000;
const MINUTES_MAX = 100;

/**
 * Writes what this node has counted when a caller wants to see it, so that stats are seconds old
 * while a caller reads them, and are written once a minute otherwise.
 */
export class FreshStats {
  readonly #store: Store;
  readonly #clock: Clock;
  #recordedAt = -Infinity;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async record(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#recordedAt < FRESH_MS) return;
    this.#recordedAt = now;
    await this.#store.recordStats(MINUTES_MAX);
  }
}
