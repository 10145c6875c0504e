/** The connections to one origin, shared out among the pools of all accounts. */

export interface RoomUser {
  /** Its connections that are open or being opened. */
  readonly connections: number;
  /** Closes a connection that it does not use; false when there is none. */
  giveUpSpare(): boolean;
  /** Opens the connections that it waits for, as far as there is room. */
  openMore(): void;
}

/**
 * A full origin takes an idle connection from another pool. Without one, pools wait: the pool with
 * the fewest connections is served first, and of several the one that has waited longest. No pool
 * has spare connections while another waits.
 */
export class OriginRoom {
  readonly #connectionsMax: number;
  readonly #holders = new Set<RoomUser>();
  readonly #waiting = new Set<RoomUser>();
  #taken = 0;

  constructor(connectionsMax: number) {
    this.#connectionsMax = connectionsMax;
  }

  /** Room for one more connection of the pool; false when it has to wait. */
  take(pool: RoomUser): boolean {
    if (this.#taken >= this.#connectionsMax) this.#reclaim();
    if (this.#taken >= this.#connectionsMax) {
      this.#waiting.add(pool);
      return false;
    }
    this.#taken += 1;
    this.#holders.add(pool);
    return true;
  }

  /** One of the pool's connections is gone. */
  give(pool: RoomUser): void {
    this.#taken -= 1;
    if (pool.connections === 0) this.#holders.delete(pool);
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#waiting.delete(next);
      next.openMore();
    }
  }

  get isWanted(): boolean {
    return this.#waiting.size > 0;
  }

  stopWaiting(pool: RoomUser): void {
    this.#waiting.delete(pool);
  }

  /**
   * Whether the pool must close a connection that has become free, so that another pool can open
   * one. It then waits behind the others.
   */
  mustYield(pool: RoomUser, needsIt: boolean): boolean {
    if (this.#waiting.size === 0) return false;
    const isDue = ({ connections }: RoomUser): boolean =>
      !needsIt || connections === 0 || connections < pool.connections - 1;
    const mustYield = [...this.#waiting].some((other) => other !== pool && isDue(other));
    if (mustYield) this.#waiting.delete(pool);
    return mustYield;
  }

  #next(): RoomUser | null {
    let next: RoomUser | null = null;
    if (this.#taken >= this.#connectionsMax) return next;
    for (const pool of this.#waiting) {
      if (next === null || pool.connections < next.connections) next = pool;
    }
    return next;
  }

  #reclaim(): void {
    for (const holder of this.#holders) if (holder.giveUpSpare()) return;
  }
}

/** The rooms of the origins in use. */
export class OriginRooms {
  readonly #connectionsMax: number;
  readonly #rooms = new Map<string, { readonly room: OriginRoom; pools: number }>();

  constructor(connectionsMax: number) {
    this.#connectionsMax = connectionsMax;
  }

  enter(origin: string): OriginRoom {
    const known = this.#rooms.get(origin);
    if (known !== undefined) {
      known.pools += 1;
      return known.room;
    }
    const room = new OriginRoom(this.#connectionsMax);
    this.#rooms.set(origin, { room, pools: 1 });
    return room;
  }

  leave(origin: string): void {
    const known = this.#rooms.get(origin)!;
    known.pools -= 1;
    if (known.pools === 0) this.#rooms.delete(origin);
  }
}
