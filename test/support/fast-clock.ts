import { type Clock, systemClock } from "../../src/platform/clock.ts";

/** Goes faster than the system's clock and then, from some moment on, like it, so that an hour takes a minute. */
export class FastClock implements Clock {
  readonly #rate: number;
  readonly #startedAt = systemClock.monotonic();
  readonly #wallAt: number;
  readonly #calmAt: number;

  /** It is behind the system's clock, and has caught up when `realMs` have passed. */
  constructor(rate: number, realMs: number) {
    this.#rate = rate;
    this.#calmAt = this.#startedAt + realMs;
    this.#wallAt = systemClock.now() + realMs - rate * realMs;
  }

  get isFast(): boolean {
    return systemClock.monotonic() < this.#calmAt;
  }

  now(): number {
    return Math.round(this.#wallAt + this.monotonic());
  }

  wall(): number {
    return this.now();
  }

  monotonic(): number {
    const at = systemClock.monotonic();
    const fastUntil = Math.min(at, this.#calmAt);
    return (fastUntil - this.#startedAt) * this.#rate + (at - fastUntil);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(this.#real(ms), signal);
  }

  after(ms: number, action: () => void): () => void {
    return systemClock.after(this.#real(ms), action);
  }

  #real(ms: number): number {
    return this.isFast ? ms / this.#rate : ms;
  }
}
