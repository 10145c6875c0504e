/**
 * One pool for each account and origin in use: an origin that answers late or twice, or has not read
 * a whole request, confuses no other account. A pool is removed with its last connection.
 */

import type { Clock } from "../../platform/clock.ts";
import type { GuardedConnect } from "../guard/address-guard.ts";
import { OriginPool, type OriginPoolOptions } from "./origin-pool.ts";
import { OriginRooms } from "./origin-room.ts";

export interface OriginPoolsOptions {
  readonly clock: Clock;
  /** Connections to one origin, over all accounts. */
  readonly connectionsMax: number;
  readonly connect: GuardedConnect;
  /** With more pools than this, idle ones are closed without waiting. */
  readonly poolsMax: number;
}

export class OriginPools {
  /** Least recently used first. */
  readonly #pools = new Map<string, OriginPool>();
  readonly #poolsMax: number;
  readonly #poolOptions: OriginPoolOptions;

  constructor({ poolsMax, connectionsMax, ...options }: OriginPoolsOptions) {
    this.#poolsMax = poolsMax;
    const rooms = new OriginRooms(connectionsMax);
    this.#poolOptions = { ...options, rooms, onUnused: (pool) => this.#drop(pool) };
  }

  get size(): number {
    return this.#pools.size;
  }

  at(accountId: string, origin: string): OriginPool {
    const key = `${accountId} ${origin}`;
    const known = this.#pools.get(key);
    if (known !== undefined) {
      this.#pools.delete(key);
      this.#pools.set(key, known);
      return known;
    }
    this.#makeRoom();
    const pool = new OriginPool(key, origin, this.#poolOptions);
    this.#pools.set(key, pool);
    return pool;
  }

  destroy(): void {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    for (const pool of pools) pool.destroy();
  }

  #makeRoom(): void {
    if (this.#pools.size < this.#poolsMax) return;
    for (const pool of this.#pools.values()) {
      if (pool.isIdle) return this.#drop(pool);
    }
  }

  #drop(pool: OriginPool): void {
    if (this.#pools.get(pool.key) === pool) this.#pools.delete(pool.key);
    pool.destroy();
  }
}
