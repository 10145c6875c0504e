import { Loop } from "../platform/loop.ts";
import type { EngineOptions } from "./engine-options.ts";

const ROUND_MS = 60_000;
const PAGE_MAX = 500;
/** However little room there is, what has ended stays readable for this long. */
const KEPT_MS_LEAST = 10 * 60_000;
/** Five weeks of counts are enough for a month's statistics. */
const COUNTS_KEPT_MS = 35 * 86_400_000;
/** Between two pages, so that others come to write. */
const PAGE_PAUSE_MS = 20;

/** Removes what is too old, in pages. Two nodes may do it at once. */
export class Janitor {
  readonly #options: EngineOptions;
  readonly #loop: Loop;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#loop = new Loop(
      options.clock,
      () => this.runOnce(),
      (error) => options.log.warn("sweeping failed", { error }),
    );
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async runOnce(): Promise<number> {
    const { store, clock, limits } = this.#options;
    const now = clock.now();
    const { more } = await store.sweep({
      now,
      endedBefore: now - (await this.#keptMs()),
      deadLettersBefore: now - limits.deadLetterRetentionMs,
      countsBefore: now - COUNTS_KEPT_MS,
      pageMax: PAGE_MAX,
    });
    return more ? PAGE_PAUSE_MS : ROUND_MS;
  }

  /** What has ended stays readable for its time, or for a while when it takes up too much room. */
  async #keptMs(): Promise<number> {
    const { store, limits } = this.#options;
    const { usedBytes } = await store.reader.size();
    const isTooMuch = usedBytes !== null && usedBytes > limits.logBytesMax;
    return isTooMuch ? Math.min(KEPT_MS_LEAST, limits.logRetentionMs) : limits.logRetentionMs;
  }
}
