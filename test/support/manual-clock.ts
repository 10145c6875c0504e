import type { Clock } from "../../src/platform/clock.ts";

interface Alarm {
  readonly atMonotonic: number;
  readonly ring: () => void;
}

/** A clock that stands still until a test moves it. Wall time may be stepped, also backwards. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(startAt = 1_700_000_000_000) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, action: () => void): () => void {
    const alarm: Alarm = { atMonotonic: this.#monotonic + ms, ring: action };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const forget = this.after(ms, resolve);
      signal?.addEventListener("abort", () => (forget(), resolve()), { once: true });
    });
  }

  /** Timers that are neither over nor cancelled. */
  get alarmCount(): number {
    return this.#alarms.size;
  }

  /** Lets time pass; whatever was to happen meanwhile happens, in its order. */
  advance(ms: number): void {
    const untilMonotonic = this.#monotonic + ms;
    for (let next = this.#next(untilMonotonic); next; next = this.#next(untilMonotonic)) {
      this.#alarms.delete(next);
      this.#now += next.atMonotonic - this.#monotonic;
      this.#monotonic = next.atMonotonic;
      next.ring();
    }
    this.#now += untilMonotonic - this.#monotonic;
    this.#monotonic = untilMonotonic;
  }

  /** Sets the wall clock alone, as an operator or a time server would. */
  step(ms: number): void {
    this.#now += ms;
  }

  #next(untilMonotonic: number): Alarm | undefined {
    return [...this.#alarms]
      .filter(({ atMonotonic }) => atMonotonic <= untilMonotonic)
      .toSorted((one, other) => one.atMonotonic - other.atMonotonic)[0];
  }
}
