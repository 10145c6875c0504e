import type { Chore } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";
import { sweepRound } from "./sweep-round.ts";

const ROUND_MS = 60_000;
/** Between two pages, so that others come to write. */
const PAGE_PAUSE_MS = 20;

/** Removes what is too old or too much, in pages. Two nodes may do it at once. */
export class Janitor implements Chore {
  readonly failure = "sweeping failed";
  readonly #options: EngineOptions;
  readonly #places = new Map<string, string>();
  #round: AsyncGenerator<void, void> | null = null;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** One page of a round, and how long to wait before the next. */
  async runOnce(): Promise<number> {
    const round = (this.#round ??= sweepRound({ ...this.#options, places: this.#places }));
    // A round that failed does not go on; the next one begins anew.
    this.#round = null;
    const { done } = await round.next();
    if (done === true) return ROUND_MS;
    this.#round = round;
    return PAGE_PAUSE_MS;
  }
}
