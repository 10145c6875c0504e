import type { Clock } from "../../platform/clock.ts";
import type { Store } from "../../store/store.ts";

const FRESH_MS = 5_000;
const MINUTES_MAX = 100;

/**
 * Writes what this node has counted when a caller wants to see it, so that stats are seconds old
 * while a caller reads them, and are written once a minute otherwise.
 */
export class FreshStats {
  readonly #store: Pick<Store, "recordStats">;
  readonly #clock: Pick<Clock, "monotonic">;
  #recordedAt = -Infinity;
  #recording: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<Store, "recordStats">, clock: Pick<Clock, "monotonic">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A call during a write waits for it; otherwise it would read what was there before. */
  async record(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#recordedAt >= FRESH_MS) {
      this.#recordedAt = now;
      this.#recording = this.#store.recordStats(MINUTES_MAX);
    }
    try {
      await this.#recording;
    } catch (error) {
      this.#recordedAt = -Infinity;
      throw error;
    }
  }
}
