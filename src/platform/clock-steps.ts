import type { ClockTime } from "./clock.ts";
import type { Log } from "./log.ts";

/** Smaller differences are gradual adjustments, not steps. */
const STEP_MS = 100;

/** Detects when the wall clock is set, and keeps how far due time has been ahead of it since. */
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

  /** The wall clock has gained `ms` on the monotonic one since the last reading. */
  gained(ms: number): void {
    if (Math.abs(ms) < STEP_MS) return;
    this.#shownAt = -Infinity;
    // A forward step first makes up for an earlier step back; the rest of it moves due time too.
    this.#aheadMs = Math.max(0, Math.ceil(this.#aheadMs - ms));
    const direction = ms < 0 ? "back" : "forward";
    this.#log?.warn(`the clock stepped ${direction}`, { ms: Math.round(Math.abs(ms)) });
    for (const listener of this.#listeners) listener(ms);
  }

  /** Raises due time to at least `dueAt` while the clock shows `now`. */
  catchUp(dueAt: number, now: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, Math.ceil(dueAt - now));
  }

  /** Both times when the clock shows `now`. */
  timeAt(now: number): ClockTime {
    this.#shownAt = Math.max(this.#shownAt, now);
    return { now: this.#shownAt, aheadMs: this.#aheadMs };
  }
}
