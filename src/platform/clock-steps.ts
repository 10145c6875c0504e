import type { ClockTime } from "./clock.ts";
import type { Log } from "./log.ts";

/** A clock is adjusted by less than this without a step, and a smaller step back is waited out. */
const STEP_MS = 100;

/** Notices when a clock is set, and remembers how far due time is ahead of it since. */
export class ClockSteps {
  readonly #log: Log | undefined;
  readonly #listeners: ((ms: number) => void)[] = [];
  #aheadMs = 0;
  #shownAt = -Infinity;

  constructor(log?: Log) {
    this.#log = log;
  }

  listen(listener: (ms: number) => void): void {
    this.#listeners.push(listener);
  }

  /** The clock has gained `ms` on the monotonic one since it was last looked at. */
  gained(ms: number): void {
    if (Math.abs(ms) < STEP_MS) return;
    this.#shownAt = -Infinity;
    // A clock that catches up makes up for the step back; one that jumps ahead is believed.
    this.#aheadMs = Math.max(0, Math.ceil(this.#aheadMs - ms));
    const direction = ms < 0 ? "back" : "forward";
    this.#log?.warn(`the clock stepped ${direction}`, { ms: Math.round(Math.abs(ms)) });
    for (const listener of this.#listeners) listener(ms);
  }

  /** Due time is to be no less than this when the clock shows `now`. */
  catchUp(dueAt: number, now: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, Math.ceil(dueAt - now));
  }

  /** The time to go by when the clock shows `now`. */
  timeAt(now: number): ClockTime {
    this.#shownAt = Math.max(this.#shownAt, now);
    return { now: this.#shownAt, aheadMs: this.#aheadMs };
  }
}
