/** Something that waits to be written. */
export interface Queued {
  readonly accountId: string;
  readonly bytes: number;
  readonly rows: number;
}

interface Lane<Item> {
  readonly items: Item[];
  bytes: number;
}

/**
 * What waits for the next group, by account. An account alone fills groups as it likes. While
 * others are active too, accounts take turns: each has a small share of a group, and what is heavy
 * is written by itself, so that a flood waits behind itself and the others wait for one group at
 * most.
 */
export class ActQueue<Item extends Queued> {
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Lane<Item>>();
  #size = 0;
  #bytes = 0;
  #rows = 0;
  #lastAccountId = SERVICE;
  /** Groups to come that are formed in turns, since another account was active lately. */
  #sharedGroups = 0;
  /** Groups that went before a heavy item that waits. */
  #lightGroups = 0;

  get size(): number {
    return this.#size;
  }

  get rows(): number {
    return this.#rows;
  }

  get isShared(): boolean {
    return this.#sharedGroups > 0;
  }

  /** Refuses an account that has its share of what may wait; the others still find room. */
  isFullFor(accountId: string, bytes: number): boolean {
    const lane = this.#lanes.get(accountId);
    const lanes = Math.max(2, this.#lanes.size + (lane === undefined ? 1 : 0));
    const isFull = this.#size >= WAITING_MAX || this.#bytes + bytes > WAITING_BYTES_MAX;
    if (!isFull || lane === undefined) return isFull && bytes > WAITING_BYTES_MAX;
    return (
      lane.items.length >= WAITING_MAX / lanes || lane.bytes + bytes > WAITING_BYTES_MAX / lanes
    );
  }

  add(item: Item): void {
    const { accountId } = item;
    let lane = this.#lanes.get(accountId);
    if (lane === undefined) {
      lane = { items: [], bytes: 0 };
      this.#lanes.set(accountId, lane);
    }
    lane.items.push(item);
    this.#count(lane, item, 1);
    if (accountId === this.#lastAccountId || accountId === SERVICE) return;
    if (this.#lastAccountId !== SERVICE) this.#sharedGroups = SHARED_GROUPS;
    this.#lastAccountId = accountId;
  }

  /** Whether anything can be taken while a heavy item is being written, or not. */
  hasGroup(mayBeHeavy: boolean): boolean {
    if (this.#size === 0) return false;
    if (mayBeHeavy || !this.isShared) return true;
    for (const { items } of this.#lanes.values()) if (!isHeavy(items[0]!)) return true;
    return false;
  }

  /** Whether an account waits that has nothing under way. */
  hasOther(underWay: ReadonlySet<string>): boolean {
    for (const [accountId, { items }] of this.#lanes) {
      if (!underWay.has(accountId) && !isHeavy(items[0]!)) return true;
    }
    return false;
  }

  /** The next group: none but accounts that are not `excluded` have a part in it. */
  take(mayBeHeavy: boolean, excluded: ReadonlySet<string> = NONE): Item[] {
    if (!this.isShared) return this.#takeInTurn(WHOLE, NONE);
    this.#sharedGroups -= 1;
    const heavy = mayBeHeavy ? this.#heavyLane(excluded) : null;
    if (heavy === null) return this.#takeInTurn(SHARE, excluded);
    if (this.#lightGroups < LIGHT_GROUPS_MAX) {
      const light = this.#takeInTurn(SHARE, excluded);
      if (light.length > 0) this.#lightGroups += 1;
      if (light.length > 0) return light;
    }
    this.#lightGroups = 0;
    return this.#takeFrom(heavy, 1);
  }

  /** Takes out those that match. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [accountId, lane] of this.#lanes) {
      const out = lane.items.filter(matches);
      if (out.length === 0) continue;
      const kept = lane.items.filter((item) => !out.includes(item));
      lane.items.splice(0, lane.items.length, ...kept);
      for (const item of out) this.#count(lane, item, -1);
      if (kept.length === 0) this.#lanes.delete(accountId);
      removed.push(...out);
    }
    return removed;
  }

  #heavyLane(excluded: ReadonlySet<string>): string | null {
    for (const [accountId, { items }] of this.#lanes) {
      if (isHeavy(items[0]!) && !excluded.has(accountId)) return accountId;
    }
    return null;
  }

  /** One item of each account in turn, up to the share of each and the limits of a group. */
  #takeInTurn(share: Share, excluded: ReadonlySet<string>): Item[] {
    const open = new Map<string, Taking<Item>>();
    for (const [accountId, { items }] of this.#lanes) {
      if (!excluded.has(accountId)) open.set(accountId, { items, count: 0, rows: 0, bytes: 0 });
    }
    const taking = [...open];
    let acts = 0;
    let bytes = 0;
    while (open.size > 0) {
      for (const [accountId, lane] of open) {
        const next = lane.items[lane.count];
        const isOver =
          acts >= GROUP_ACTS_MAX || (acts > 0 && bytes + (next?.bytes ?? 0) > GROUP_BYTES_MAX);
        if (next === undefined || isOver || !share.allows(lane, next)) {
          open.delete(accountId);
          continue;
        }
        lane.count += 1;
        lane.rows += next.rows;
        lane.bytes += next.bytes;
        acts += 1;
        bytes += next.bytes;
      }
    }
    return taking.flatMap(([accountId, { count }]) => this.#takeFrom(accountId, count));
  }

  /** The account's next turn comes after those of the others. */
  #takeFrom(accountId: string, count: number): Item[] {
    const lane = this.#lanes.get(accountId)!;
    if (count === 0) return [];
    const taken = lane.items.splice(0, count);
    for (const item of taken) this.#count(lane, item, -1);
    this.#lanes.delete(accountId);
    if (lane.items.length > 0) this.#lanes.set(accountId, lane);
    return taken;
  }

  #count(lane: Lane<Item>, { bytes, rows }: Item, sign: 1 | -1): void {
    lane.bytes += sign * bytes;
    this.#size += sign;
    this.#bytes += sign * bytes;
    this.#rows += sign * rows;
  }
}

interface Taking<Item> {
  readonly items: readonly Item[];
  count: number;
  rows: number;
  bytes: number;
}

/** How much of a group one account may have. */
interface Share {
  readonly allows: (taken: Omit<Taking<Queued>, "items">, next: Queued) => boolean;
}

/** It would make the others of its group wait. */
export function isHeavy({ rows, bytes }: Queued): boolean {
  return rows > SHARE_ROWS || bytes > SHARE_BYTES;
}

/** The lane of acts that belong to no account. */
const SERVICE = "";
const NONE: ReadonlySet<string> = new Set();
const GROUP_ACTS_MAX = 256;
const GROUP_BYTES_MAX = 16 * 1024 * 1024;
const WAITING_MAX = 5_000;
const WAITING_BYTES_MAX = 160 * 1024 * 1024;
/** About two seconds of groups under load. */
const SHARED_GROUPS = 256;
/** A heavy item waits for at most this many groups of others. */
const LIGHT_GROUPS_MAX = 4;
const SHARE_ROWS = 32;
const SHARE_BYTES = 256 * 1024;

const WHOLE: Share = { allows: () => true };
const SHARE: Share = {
  allows: ({ rows, bytes }, next) =>
    rows + next.rows <= SHARE_ROWS && bytes + next.bytes <= SHARE_BYTES,
};
