import type { Chore } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";
import { sweepRound } from "./sweep-round.ts";

const ROUND_MS = 60_000;
/** Between two pages, so that others come to write. */
const PAGE_PAUSE_MS = 20;

/** A step ahead of at least this is believed once the clock has kept to it for ten minutes. */
const DOUBTED_STEP_MS = 60_000;
const DOUBT_MS = 10 * 60_000;

/**
 * Removes what is too old or too much, in pages. Two nodes may do it at once. It rests while the clock may
 * be wrong: what it removes does not come back with the clock.
 */
export class Janitor implements Chore {
  readonly failure = "sweeping failed";
  readonly #options: EngineOptions;
  readonly #cursors = new Map<string, string>();
  #round: AsyncGenerator<void, void> | null = null;
  #restsUntil = -Infinity;
  #now = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    options.clock.onStep((ms) => {
      if (ms >= DOUBTED_STEP_MS) this.#restsUntil = options.clock.monotonic() + DOUBT_MS;
    });
  }

  /** One page of a round, and how long to wait before the next. */
  async runOnce(): Promise<number> {
    const { clock } = this.#options;
    // The whole page goes by this time: the clock may be set while it is swept.
    this.#now = clock.now();
    const restMs = this.#restsUntil - clock.monotonic();
    const round = restMs > 0 ? null : (this.#round ?? this.#startRound());
    // A round that failed does not go on; the next one begins anew.
    this.#round = null;
    if (round === null) return restMs;
    const { done } = await round.next();
    if (done === true) return ROUND_MS;
    this.#round = round;
    return PAGE_PAUSE_MS;
  }

  #startRound(): AsyncGenerator<void, void> {
    const clock = { now: () => this.#now };
    return sweepRound({ ...this.#options, clock, cursors: this.#cursors });
  }
}
