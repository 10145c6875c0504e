import { type Clock, systemClock } from "../platform/clock.ts";

/**
 * A clock that runs like the system's and can be put forward; its timers are then checked again.
 */
export class LeapingClock implements Clock {
  #aheadMs = 0;
  #leap = new AbortController();

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  wall(): number {
    return systemClock.wall() + this.#aheadMs;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#aheadMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { signal: leap } = this.#leap;
    return systemClock.sleep(ms, signal === undefined ? leap : AbortSignal.any([signal, leap]));
  }

  after(ms: number, action: () => void): () => void {
    return systemClock.after(ms, action);
  }

  /** Puts the clock forward to an instant; an instant that has passed changes nothing. */
  leapTo(instant: number): void {
    this.#aheadMs += Math.max(0, instant - this.now());
    this.#leap.abort();
    this.#leap = new AbortController();
  }
}
