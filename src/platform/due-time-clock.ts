import type { Clock, ClockTime, DueClock } from "./clock.ts";
import type { Log } from "./log.ts";

/** The shared part of clocks with due time; each subclass reads its own source of time. */
export abstract class DueTimeClock implements DueClock {
  protected readonly base: Clock;
  protected readonly steps: ClockSteps;

  constructor(base: Clock, log?: Log) {
    this.base = base;
    this.steps = new ClockSteps(log);
  }

  abstract time(): ClockTime;

  now(): number {
    return this.time().now;
  }

  due(): number {
    const { now, aheadMs } = this.time();
    return now + aheadMs;
  }

  catchUp(dueAt: number): void {
    this.steps.catchUp(dueAt, this.now());
  }

  onStep(listener: (ms: number) => void): void {
    this.steps.listen(listener);
  }

  wall(): number {
    return this.base.wall();
  }

  monotonic(): number {
    return this.base.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.base.sleep(ms, signal);
  }

  after(ms: number, action: () => void): () => void {
    return this.base.after(ms, action);
  }
}

/** Detects when the wall clock is set, and keeps how far due time has been ahead of it since. */
class ClockSteps {
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

/** Smaller differences are gradual adjustments, not steps. */
const STEP_MS = 100;
