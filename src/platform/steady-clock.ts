import type { Clock, ClockTime } from "./clock.ts";
import { DueTimeClock } from "./due-time-clock.ts";
import type { Log } from "./log.ts";

/** The clock of a machine, which may be set at any time, with due time beside it. */
export class SteadyClock extends DueTimeClock {
  /** The time less the monotonic one, when it was last looked at. */
  #offsetMs: number;

  constructor(own: Clock, log?: Log) {
    super(own, log);
    this.#offsetMs = own.now() - own.monotonic();
  }

  time(): ClockTime {
    const before = this.own.monotonic();
    const now = this.own.now();
    const after = this.own.monotonic();
    // This thread may have had to wait between the two clocks: only what is certain is a step.
    const offsetMs = Math.min(Math.max(this.#offsetMs, now - after), now - before);
    const gainedMs = offsetMs - this.#offsetMs;
    this.#offsetMs = offsetMs;
    this.steps.gained(gainedMs);
    return this.steps.timeAt(now);
  }
}
