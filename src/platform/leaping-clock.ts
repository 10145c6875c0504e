import type { Clock } from "./clock.ts";

/**
 * A clock that runs like another one and can be put forward. Whatever sleeps by it then looks
 * again. `after` is for timers of the machine, such as those of requests, which a leap does not end.
 */
export class LeapingClock implements Clock {
  readonly #base: Clock;
  #aheadMs = 0;
  #leap = new AbortController();

  constructor(base: Clock) {
    this.#base = base;
  }

  /** How far it was put forward. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): number {
    return this.#base.now() + this.#aheadMs;
  }

  wall(): number {
    return this.#base.wall() + this.#aheadMs;
  }

  monotonic(): number {
    return this.#base.monotonic() + this.#aheadMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { signal: leap } = this.#leap;
    return this.#base.sleep(ms, signal === undefined ? leap : AbortSignal.any([signal, leap]));
  }

  after(ms: number, action: () => void): () => void {
    return this.#base.after(ms, action);
  }

  /** A negative number changes nothing. */
  leap(ms: number): void {
    this.#aheadMs += Math.max(0, ms);
    this.#leap.abort();
    this.#leap = new AbortController();
  }
}
