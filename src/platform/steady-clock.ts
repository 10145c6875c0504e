import type { Clock, ClockTime } from "./clock.ts";
import { DueTimeClock } from "./due-time-clock.ts";
import type { Log } from "./log.ts";

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
