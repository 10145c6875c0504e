import { backlogRows, type BacklogRow, startOfStep } from "../../core/model/account/stats.ts";
import type { Chore } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";

const ROUND_MS = 60_000;
/** Minutes of accounts in one transaction, and the pause between two. */
const MINUTES_MAX = 100;
const PAGE_PAUSE_MS = 20;
/** Accounts of which the backlog is recorded, those with most that is due. */
const ACCOUNTS_MAX = 1_000;
/** Counting takes at most this share of the time, so that a large backlog is counted less often. */
const COUNTING_SHARE = 0.01;

/** Writes what this node has counted and what waits, once a minute, a bounded part at a time. */
export class StatsRecorder implements Chore {
  readonly failure = "recording stats failed";
  readonly #store: EngineOptions["store"];
  readonly #clock: EngineOptions["clock"];
  #isWithinRound = false;
  #countsAgainAt = 0;

  constructor({ store, clock }: Pick<EngineOptions, "store" | "clock">) {
    this.#store = store;
    this.#clock = clock;
  }

  async runOnce(): Promise<number> {
    const backlog = this.#isWithinRound ? [] : await this.#countBacklog();
    this.#isWithinRound = await this.#store.recordStats(MINUTES_MAX, backlog);
    return this.#isWithinRound ? PAGE_PAUSE_MS : ROUND_MS;
  }

  /** Writes all that is left. A store that is away keeps no node from stopping. */
  async finish(): Promise<void> {
    try {
      while (await this.#store.recordStats(MINUTES_MAX));
    } catch {
      // The counts of the last minute are lost; the log and the counts of days have them.
    }
  }

  /** Nothing when another node has counted in this minute. */
  async #countBacklog(): Promise<readonly BacklogRow[]> {
    const { upkeep } = this.#store.reader;
    const { now, aheadMs } = this.#clock.time();
    const startedAt = this.#clock.monotonic();
    if (startedAt < this.#countsAgainAt) return [];
    if ((await upkeep.backlogCountedAt()) === startOfStep(now, "minute")) return [];
    const counts = await upkeep.countBacklog(now + aheadMs, ACCOUNTS_MAX);
    const tookMs = this.#clock.monotonic() - startedAt;
    this.#countsAgainAt = startedAt + tookMs / COUNTING_SHARE;
    return backlogRows(counts, now);
  }
}
