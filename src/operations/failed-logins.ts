import { Problem } from "../core/problem.ts";
import type { Clock } from "../platform/clock.ts";

export interface FailedLoginsOptions {
  readonly clock: Clock;
  /** How many may fail in a row. */
  readonly burst: number;
  /** After how long one more may. */
  readonly refillMs: number;
}

interface Tries {
  readonly left: number;
  readonly at: number;
}

/** How often a name or an address may still get its credentials wrong. */
export class FailedLogins {
  readonly #options: FailedLoginsOptions;
  readonly #tries = new Map<string, Tries>();

  constructor(options: FailedLoginsOptions) {
    this.#options = options;
  }

  /** Counts a try before it is known how it ends, so that many at once are counted too. */
  spend(key: string): void {
    const { clock, refillMs } = this.#options;
    const now = clock.monotonic();
    const left = this.#left(key, now);
    if (left < 1) {
      const seconds = Math.max(1, Math.ceil(((1 - left) * refillMs) / 1_000));
      throw new Problem("too-many-requests", "too many failed sign-ins; try again later", seconds);
    }
    this.#keep(key, { left: left - 1, at: now });
  }

  /** The try went well. */
  giveBack(key: string): void {
    const now = this.#options.clock.monotonic();
    this.#keep(key, { left: Math.min(this.#options.burst, this.#left(key, now) + 1), at: now });
  }

  #left(key: string, now: number): number {
    const { burst, refillMs } = this.#options;
    const tries = this.#tries.get(key);
    if (tries === undefined) return burst;
    return Math.min(burst, tries.left + (now - tries.at) / refillMs);
  }

  #keep(key: string, tries: Tries): void {
    // The latest stand last, so that those which have rested longest go first.
    this.#tries.delete(key);
    if (tries.left < this.#options.burst) this.#tries.set(key, tries);
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > KEPT_MAX && oldest !== undefined) this.#tries.delete(oldest);
  }
}

const KEPT_MAX = 10_000;
