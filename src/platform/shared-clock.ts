import type { ClockTime } from "./clock.ts";
import { DueTimeClock } from "./due-time-clock.ts";

/** A machine whose own clock is no further off than this goes by its own. */
const AGREES_MS = 10;

/**
 * The time that all nodes share, which is the store's. Where this machine's clock does not agree with
 * it, it goes on by the monotonic one from what the store last showed: whoever sets the clock on the
 * wall makes nothing due too soon.
 */
export class SharedClock extends DueTimeClock {
  /** The store's time less our monotonic one; null before the store was first asked. */
  #offsetMs: number | null = null;

  time(): ClockTime {
    const wall = this.own.wall();
    if (this.#offsetMs === null) return { now: wall, aheadMs: 0 };
    const shared = this.own.monotonic() + this.#offsetMs;
    return this.steps.timeAt(Math.abs(wall - shared) <= AGREES_MS ? wall : Math.round(shared));
  }

  /**
   * The store showed `storeAt` at some moment since `askedAt`, which is of the monotonic clock. What we
   * have is kept if it agrees with that: a slow answer says little.
   */
  heard(storeAt: number, askedAt: number): void {
    const monotonic = this.own.monotonic();
    const least = storeAt - monotonic;
    const most = storeAt - askedAt;
    const known = this.#offsetMs ?? this.own.wall() - monotonic;
    const offsetMs = Math.min(Math.max(known, least), most);
    if (this.#offsetMs !== null) this.steps.gained(offsetMs - this.#offsetMs);
    this.#offsetMs = offsetMs;
  }
}
