import type { Clock, ClockTime, DueClock } from "./clock.ts";
import { ClockSteps } from "./clock-steps.ts";
import type { Log } from "./log.ts";

/** The clock of a machine, which may be set at any time, with due time beside it. */
export class SteadyClock implements DueClock {
  readonly #own: Clock;
  readonly #steps: ClockSteps;
  /** The time less the monotonic one, when it was last looked at. */
  #offsetMs: number;

  constructor(own: Clock, log?: Log) {
    this.#own = own;
    this.#steps = new ClockSteps(log);
    this.#offsetMs = own.now() - own.monotonic();
  }

  time(): ClockTime {
    const before = this.#own.monotonic();
    const now = this.#own.now();
    const after = this.#own.monotonic();
    // This thread may have had to wait between the two clocks: only what is certain is a step.
    const offsetMs = Math.min(Math.max(this.#offsetMs, now - after), now - before);
    const gainedMs = offsetMs - this.#offsetMs;
    this.#offsetMs = offsetMs;
    this.#steps.gained(gainedMs);
    return this.#steps.timeAt(now);
  }

  now(): number {
    return this.time().now;
  }

  due(): number {
    const { now, aheadMs } = this.time();
    return now + aheadMs;
  }

  catchUp(dueAt: number): void {
    this.#steps.catchUp(dueAt, this.now());
  }

  onStep(listener: (ms: number) => void): void {
    this.#steps.listen(listener);
  }

  wall(): number {
    return this.#own.wall();
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#own.sleep(ms, signal);
  }

  after(ms: number, action: () => void): () => void {
    return this.#own.after(ms, action);
  }
}
