import type { Clock, ClockTime, DueClock } from "./clock.ts";
import { ClockSteps } from "./clock-steps.ts";
import type { Log } from "./log.ts";

/** What clocks with due time have in common. Each says by itself what time it is. */
export abstract class DueTimeClock implements DueClock {
  protected readonly own: Clock;
  protected readonly steps: ClockSteps;

  constructor(own: Clock, log?: Log) {
    this.own = own;
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
    return this.own.wall();
  }

  monotonic(): number {
    return this.own.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.own.sleep(ms, signal);
  }

  after(ms: number, action: () => void): () => void {
    return this.own.after(ms, action);
  }
}
