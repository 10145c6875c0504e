/** One pool for each origin in use. A pool is removed with its last connection. */

import type { Clock } from "../../platform/clock.ts";
import type { GuardedConnect } from "../guard/address-guard.ts";
import { OriginPool, type OriginPoolOptions } from "./origin-pool.ts";

export interface OriginPoolsOptions {
  readonly clock: Clock;
  readonly connectionsMax: number;
  readonly connect: GuardedConnect;
  /** With more origins than this, idle ones are closed without waiting. */
  readonly originsMax: number;
}

export class OriginPools {
  /** Least recently used first. */
  readonly #pools = new Map<string, OriginPool>();
  readonly #originsMax: number;
  readonly #poolOptions: OriginPoolOptions;

  constructor({ originsMax, ...options }: OriginPoolsOptions) {
    this.#originsMax = originsMax;
    this.#poolOptions = { ...options, onUnused: (pool) => this.#drop(pool) };
  }

  get size(): number {
    return this.#pools.size;
  }

  at(origin: string): OriginPool {
    const known = this.#pools.get(origin);
    if (known !== undefined) {
      this.#pools.delete(origin);
      this.#pools.set(origin, known);
      return known;
    }
    this.#makeRoom();
    const pool = new OriginPool(origin, this.#poolOptions);
    this.#pools.set(origin, pool);
    return pool;
  }

  destroy(): void {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    for (const pool of pools) pool.destroy();
  }

  #makeRoom(): void {
    if (this.#pools.size < this.#originsMax) return;
    for (const pool of this.#pools.values()) {
      if (pool.isIdle) return this.#drop(pool);
    }
  }

  #drop(pool: OriginPool): void {
    if (this.#pools.get(pool.origin) === pool) this.#pools.delete(pool.origin);
    pool.destroy();
  }
}
