import type { Clock } from "../../src/platform/clock.ts";

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

/** Time that passes only when it is told to, one timer after the other. */
export class SimulatedTime {
  #now = 1_800_000_000_000;
  readonly #timers = new Set<Timer>();

  get now(): number {
    return this.#now;
  }

  /** A node's own clock: its wall time is off by so much, its monotonic time is not. */
  clock(skewMs: () => number = () => 0): Clock {
    return {
      now: () => this.#now + skewMs(),
      wall: () => this.#now + skewMs(),
      monotonic: () => this.#now,
      after: (ms, action) => this.#add(ms, action),
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve();
          const cancel = this.#add(ms, resolve);
          signal?.addEventListener(
            "abort",
            () => {
              cancel();
              resolve();
            },
            { once: true },
          );
        }),
    };
  }

  /** Lets everything settle that needs no time, then goes to the next timer. False when none is left. */
  async step(until: number): Promise<boolean> {
    await quiet();
    const next = this.#earliest();
    if (next === undefined || next.at > until) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.action();
    return true;
  }

  async runUntil(at: number): Promise<void> {
    while (await this.step(at));
    this.#now = Math.max(this.#now, at);
  }

  /** Time goes on and nothing happens, as on a machine that was asleep. */
  leap(ms: number): void {
    this.#now += ms;
  }

  #add(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) {
      if (earliest === undefined || timer.at < earliest.at) earliest = timer;
    }
    return earliest;
  }
}

/** Enough turns of the event loop for every promise that can go on without time to do so. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
