import type { Clock, ClockTime, DueClock } from "./clock.ts";
import { LeapingClock } from "./leaping-clock.ts";
import type { Log } from "./log.ts";

/** The shared part of clocks with due time; each subclass reads its own source of time. */
abstract class DueTimeClock implements DueClock {
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

/** The clock of a machine, which may be set at any time, with due time beside it. */
export class SteadyClock extends DueTimeClock {
  /** The wall time minus the monotonic time, at the last reading. */
  #offsetMs: number;

  constructor(base: Clock, log?: Log) {
    super(base, log);
    this.#offsetMs = base.now() - base.monotonic();
  }

  time(): ClockTime {
    const before = this.base.monotonic();
    const now = this.base.now();
    const after = this.base.monotonic();
    // The thread may have paused between reading the two clocks: only a certain difference is a
    // step.
    const offsetMs = Math.min(Math.max(this.#offsetMs, now - after), now - before);
    const gainedMs = offsetMs - this.#offsetMs;
    this.#offsetMs = offsetMs;
    this.steps.gained(gainedMs);
    return this.steps.timeAt(now);
  }
}

/**
 * The time that all nodes share, which is the store's. Where this machine's clock disagrees, the
 * shared clock continues from the store's last reading by the monotonic clock: setting the wall
 * clock of a machine makes nothing due too soon.
 */
export class SharedClock extends DueTimeClock {
  /** The store's time minus the monotonic time; null before the first reading. */
  #offsetMs: number | null = null;

  time(): ClockTime {
    const wall = this.base.wall();
    if (this.#offsetMs === null) return { now: wall, aheadMs: 0 };
    const shared = this.base.monotonic() + this.#offsetMs;
    return this.steps.timeAt(Math.abs(wall - shared) <= AGREES_MS ? wall : Math.round(shared));
  }

  /**
   * The store showed `readAt` at some moment since `askedAt`, a monotonic time. An offset that
   * agrees with the reading is kept, since a slow answer is imprecise. Returns the reading, put
   * forward as this node's clock is.
   */
  observe(readAt: number, askedAt: number): number {
    const storeAt = readAt + (this.base instanceof LeapingClock ? this.base.aheadMs : 0);
    const monotonic = this.base.monotonic();
    const least = storeAt - monotonic;
    const most = storeAt - askedAt;
    const known = this.#offsetMs ?? this.base.wall() - monotonic;
    const offsetMs = Math.min(Math.max(known, least), most);
    if (this.#offsetMs !== null) this.steps.gained(offsetMs - this.#offsetMs);
    this.#offsetMs = offsetMs;
    return storeAt;
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

/** A machine whose clock differs from the store's by no more than this uses its own clock. */
const AGREES_MS = 10;
