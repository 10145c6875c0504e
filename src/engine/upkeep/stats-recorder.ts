import type { Chore } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";

const ROUND_MS = 60_000;
/** Minutes of accounts in one transaction, and the pause between two. */
const MINUTES_MAX = 100;
const PAGE_PAUSE_MS = 20;

/** Writes what this node has counted, once a minute, a bounded part at a time. */
export class StatsRecorder implements Chore {
  readonly failure = "recording stats failed";
  readonly #store: EngineOptions["store"];

  constructor({ store }: EngineOptions) {
    this.#store = store;
  }

  async runOnce(): Promise<number> {
    return (await this.#store.recordStats(MINUTES_MAX)) ? PAGE_PAUSE_MS : ROUND_MS;
  }

  /** Writes all that is left. A store that is away keeps no node from stopping. */
  async finish(): Promise<void> {
    try {
      while (await this.#store.recordStats(MINUTES_MAX));
    } catch {
      // The counts of the last minute are lost; the log and the counts of days have them.
    }
  }
}
