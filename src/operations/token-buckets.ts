import type { Clock } from "../platform/clock.ts";

export interface BucketOptions {
  readonly clock: Clock;
  /** How many may be taken in a row. */
  readonly burst: number;
  /** After how long one more may. */
  readonly refillMs: number;
}

interface Bucket {
  readonly left: number;
  readonly at: number;
}

/** How much each of many callers may still do. Of a bounded number of them, those seen last. */
export class TokenBuckets {
  readonly #options: BucketOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  /** Takes one; else answers after how many milliseconds there will be one. */
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

  /** Whether nothing has been taken lately. */
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
    // The latest stand last, so that those which have rested longest go first.
    this.#buckets.delete(key);
    if (bucket.left < this.#options.burst) this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > KEPT_MAX && oldest !== undefined) this.#buckets.delete(oldest);
  }
}

const KEPT_MAX = 10_000;
