import type { Clock } from "../platform/clock.ts";

export interface BucketOptions {
  readonly clock: Clock;
  /** How many tokens may be taken in a row. */
  readonly burst: number;
  /** After how long a token is added. */
  readonly refillMs: number;
}

interface Bucket {
  readonly left: number;
  readonly at: number;
}

/** A token bucket for each of many callers; a bounded number of buckets, the most recently used. */
export class TokenBuckets {
  readonly #options: BucketOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  /** Takes a token; else returns in how many milliseconds there will be one. */
  take(key: string): number {
    const { clock, refillMs } = this.#options;
    const now = clock.monotonic();
    const left = this.#left(key, now);
    if (left < 1) return Math.max(1, (1 - left) * refillMs);
    this.#keep(key, { left: left - 1, at: now });
    return 0;
  }

  giveBack(key: string): void {
    const now = this.#options.clock.monotonic();
    this.#keep(key, { left: Math.min(this.#options.burst, this.#left(key, now) + 1), at: now });
  }

  /** Whether no token has been taken lately. */
  isFull(key: string): boolean {
    return this.#left(key, this.#options.clock.monotonic()) >= this.#options.burst;
  }

  #left(key: string, now: number): number {
    const { burst, refillMs } = this.#options;
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.left + (now - bucket.at) / refillMs);
  }

  #keep(key: string, bucket: Bucket): void {
    // The most recently used are last, so that the least recently used are dropped first.
    this.#buckets.delete(key);
    if (bucket.left < this.#options.burst) this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > KEPT_MAX && oldest !== undefined) this.#buckets.delete(oldest);
  }
}

const KEPT_MAX = 10_000;
