import type { ClockTime } from "./clock.ts";
import { DueTimeClock } from "./due-time-clock.ts";

/** A machine whose clock differs from the store's by no more than this uses its own clock. */
const AGREES_MS = 10;

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
   * The store showed `storeAt` at some moment since `askedAt`, a monotonic time. An offset that
   * agrees with the reading is kept, since a slow answer is imprecise.
   */
  observe(storeAt: number, askedAt: number): void {
    const monotonic = this.base.monotonic();
    const least = storeAt - monotonic;
    const most = storeAt - askedAt;
    const known = this.#offsetMs ?? this.base.wall() - monotonic;
    const offsetMs = Math.min(Math.max(known, least), most);
    if (this.#offsetMs !== null) this.steps.gained(offsetMs - this.#offsetMs);
    this.#offsetMs = offsetMs;
  }
}
