import type { Clock, ClockTime, DueClock } from "./clock.ts";
import { ClockSteps } from "./clock-steps.ts";
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
