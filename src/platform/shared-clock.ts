import type { Clock } from "./clock.ts";

/** A machine whose own clock is no further off than this goes by its own. */
const AGREES_MS = 10;
/** A correction backwards of less than this is waited out, so that what is numbered by time keeps its order. */
const WAITED_OUT_MS = 1_000;

/**
 * The time that all nodes share, which is the store's. Where this machine's clock does not agree with
 * it, it goes on by the monotonic one from what the store last showed: whoever sets the clock on the
 * wall makes nothing due too soon.
 */
export class SharedClock implements Clock {
  readonly #own: Clock;
  /** The store's time less our monotonic one; null before the store was first asked. */
  #offsetMs: number | null = null;
  #shownAt = -Infinity;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): number {
    const wall = this.#own.wall();
    if (this.#offsetMs === null) return wall;
    const shared = this.#own.monotonic() + this.#offsetMs;
    const now = Math.abs(wall - shared) <= AGREES_MS ? wall : Math.round(shared);
    const isAhead = this.#shownAt > now && this.#shownAt - now < WAITED_OUT_MS;
    if (!isAhead) this.#shownAt = now;
    return this.#shownAt;
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

  /**
   * The store showed `storeAt` at some moment since `askedAt`, which is of the monotonic clock. What we
   * have is kept if it agrees with that: a slow answer says little.
   */
  heard(storeAt: number, askedAt: number): void {
    const monotonic = this.#own.monotonic();
    const least = storeAt - monotonic;
    const most = storeAt - askedAt;
    const known = this.#offsetMs ?? this.#own.wall() - monotonic;
    this.#offsetMs = Math.min(Math.max(known, least), most);
  }
}
