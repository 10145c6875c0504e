import type { Chore } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";
import { sweepRound } from "./sweep-round.ts";

const ROUND_MS = 60_000;
/**
 * Other writers have three quarters of the time. A fixed pause would be too long for a store that
 * must delete as fast as it is written.
 */
const PAUSE_PER_PAGE = 3;
const PAUSE_MS_LEAST = 2;
const PAUSE_MS_MAX = 1_000;

/** How long a chore that removes rows waits after a page. */
export function pauseAfter(tookMs: number): number {
  return Math.min(Math.max(PAUSE_PER_PAGE * tookMs, PAUSE_MS_LEAST), PAUSE_MS_MAX);
}

/** A forward step of at least this is trusted once the clock has kept to it for ten minutes. */
const DOUBTED_STEP_MS = 60_000;
const DOUBT_MS = 10 * 60_000;

/** Deletes in pages, and pauses while the clock may be wrong: a deletion cannot be undone. */
export class Janitor implements Chore {
  readonly failure = "sweeping failed";
  readonly #options: EngineOptions;
  readonly #cursors = new Map<string, string>();
  #round: AsyncGenerator<void, void> | null = null;
  #restsUntil = -Infinity;
  #now = 0;
  /** How far the clock was ahead of the machine's when the round began. */
  #roundAheadMs = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    options.clock.onStep((ms) => {
      if (ms >= DOUBTED_STEP_MS) this.#restsUntil = options.clock.monotonic() + DOUBT_MS;
    });
  }

  /** One page of a round. Returns how long to wait before the next. */
  async runOnce(): Promise<number> {
    const { clock } = this.#options;
    // The whole page uses this time, since the clock may be set while it is swept.
    this.#now = clock.now();
    const restMs = this.#restsUntil - clock.monotonic();
    const round = restMs > 0 ? null : (this.#round ?? this.#startRound());
    // A failed round is not continued; the next one starts from the beginning.
    this.#round = null;
    if (round === null) return restMs;
    const startedAt = clock.monotonic();
    const { done } = await round.next();
    // What a leap has made old may lie behind the page of the round.
    if (done === true) return this.#aheadMs() - this.#roundAheadMs > ROUND_MS ? 0 : ROUND_MS;
    this.#round = round;
    return pauseAfter(clock.monotonic() - startedAt);
  }

  /** Only the clock of dev is ever put forward. */
  #aheadMs(): number {
    const { clock, machineClock } = this.#options;
    return clock.now() - machineClock.now();
  }

  #startRound(): AsyncGenerator<void, void> {
    const clock = { now: () => this.#now };
    this.#roundAheadMs = this.#aheadMs();
    return sweepRound({ ...this.#options, clock, cursors: this.#cursors });
  }
}
