export interface Queued {
  readonly accountId: string;
  /** Completions wait in a lane of their own, so that new work of their account does not delay them. */
  readonly isCompletion: boolean;
  readonly bytes: number;
  readonly rows: number;
  /** Set by the queue: its number in the order of arrival. */
  arrival?: number;
}

export interface Taken<Item> {
  /** In the order of arrival, whatever their lanes. */
  readonly items: readonly Item[];
  /** Of its lanes, so that an account may be there twice. */
  readonly accountIds: readonly string[];
  readonly bytes: number;
  readonly isHeavy: boolean;
}

interface Lane<Item> {
  readonly key: string;
  readonly accountId: string;
  readonly items: Item[];
  bytes: number;
}

/**
 * What waits for the next group, by account. An account alone fills groups as it likes. While
 * others are active too, accounts take turns: each has a small share of a group, and what is heavy
 * is written by itself, so that a flood waits behind itself and the others wait for one group at
 * most. The completions of an account and its new work take turns in the same way.
 */
export class ActQueue<Item extends Queued> {
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Lane<Item>>();
  #arrivals = 0;
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
    const { accountId, isCompletion } = item;
    const key = isCompletion ? accountId + COMPLETIONS : accountId;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, accountId, items: [], bytes: 0 };
      this.#lanes.set(key, lane);
    }
    item.arrival = this.#arrivals++;
    lane.items.push(item);
    lane.bytes += item.bytes;
    this.#count(1, item.bytes, item.rows);
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
  hasOther(underWay: Accounts): boolean {
    for (const { accountId, items } of this.#lanes.values()) {
      if (!underWay.has(accountId) && !isHeavy(items[0]!)) return true;
    }
    return false;
  }

  /** The next group: none but accounts that are not `excluded` have a part in it. */
  take(mayBeHeavy: boolean, excluded: Accounts = NONE): Taken<Item> {
    if (!this.isShared) return this.#takeWhole();
    this.#sharedGroups -= 1;
    const heavy = mayBeHeavy ? this.#heavyLane(excluded) : null;
    if (heavy === null) return this.#takeInTurn(SHARE, excluded);
    if (this.#lightGroups < LIGHT_GROUPS_MAX) {
      const light = this.#takeInTurn(SHARE, excluded);
      if (light.items.length > 0) this.#lightGroups += 1;
      if (light.items.length > 0) return light;
    }
    this.#lightGroups = 0;
    return this.#takeFrom([{ lane: heavy, count: 1 }]);
  }

  /** Takes out those that match. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const lane of this.#lanes.values()) {
      const kept: Item[] = [];
      for (const item of lane.items) {
        if (!matches(item)) {
          kept.push(item);
          continue;
        }
        removed.push(item);
        lane.bytes -= item.bytes;
        this.#count(-1, -item.bytes, -item.rows);
      }
      if (kept.length === 0) this.#lanes.delete(lane.key);
      else if (kept.length < lane.items.length) lane.items.splice(0, lane.items.length, ...kept);
    }
    return removed;
  }

  #heavyLane(excluded: Accounts): Lane<Item> | null {
    for (const lane of this.#lanes.values()) {
      if (isHeavy(lane.items[0]!) && !excluded.has(lane.accountId)) return lane;
    }
    return null;
  }

  /** Most groups take all that waits. */
  #takeWhole(): Taken<Item> {
    const isAll = this.#size <= GROUP_ACTS_MAX && this.#bytes <= GROUP_BYTES_MAX;
    if (!isAll) return this.#takeInTurn(WHOLE, NONE);
    const parts: Part<Item>[] = [];
    for (const lane of this.#lanes.values()) parts.push({ lane, count: lane.items.length });
    return this.#takeFrom(parts);
  }

  /** One item of each lane in turn, up to the share of each and the limits of a group. */
  #takeInTurn(share: Share, excluded: Accounts): Taken<Item> {
    const parts: Taking<Item>[] = [];
    for (const lane of this.#lanes.values()) {
      if (!excluded.has(lane.accountId)) parts.push({ lane, count: 0, rows: 0, bytes: 0 });
    }
    let acts = 0;
    let bytes = 0;
    const open = [...parts];
    while (open.length > 0) {
      let stillOpen = 0;
      for (const part of open) {
        const next = part.lane.items[part.count];
        if (next === undefined || acts >= GROUP_ACTS_MAX) continue;
        if (acts > 0 && bytes + next.bytes > GROUP_BYTES_MAX) continue;
        if (!share.allows(part, next)) continue;
        part.count += 1;
        part.rows += next.rows;
        part.bytes += next.bytes;
        acts += 1;
        bytes += next.bytes;
        open[stillOpen++] = part;
      }
      open.length = stillOpen;
    }
    return this.#takeFrom(parts);
  }

  /** The next turn of a lane comes after those of the others. */
  #takeFrom(parts: readonly Part<Item>[]): Taken<Item> {
    const items: Item[] = [];
    const accountIds: string[] = [];
    let bytes = 0;
    let hasHeavy = false;
    for (const { lane, count } of parts) {
      if (count === 0) continue;
      accountIds.push(lane.accountId);
      let rows = 0;
      let laneBytes = 0;
      for (const item of lane.items.splice(0, count)) {
        items.push(item);
        rows += item.rows;
        laneBytes += item.bytes;
        hasHeavy ||= isHeavy(item);
      }
      lane.bytes -= laneBytes;
      bytes += laneBytes;
      this.#count(-count, -laneBytes, -rows);
      this.#lanes.delete(lane.key);
      if (lane.items.length > 0) this.#lanes.set(lane.key, lane);
    }
    if (accountIds.length > 1) items.sort((one, other) => one.arrival! - other.arrival!);
    return { items, accountIds, bytes, isHeavy: hasHeavy };
  }

  #count(acts: number, bytes: number, rows: number): void {
    this.#size += acts;
    this.#bytes += bytes;
    this.#rows += rows;
  }
}

type Accounts = Pick<ReadonlySet<string>, "has">;

/** The first items of a lane. */
interface Part<Item> {
  readonly lane: Lane<Item>;
  readonly count: number;
}

interface Taking<Item> {
  readonly lane: Lane<Item>;
  count: number;
  rows: number;
  bytes: number;
}

/** How much of a group one account may have. */
interface Share {
  readonly allows: (taken: Pick<Queued, "rows" | "bytes">, next: Queued) => boolean;
}

/** It would make the others of its group wait. */
function isHeavy({ rows, bytes }: Pick<Queued, "rows" | "bytes">): boolean {
  return rows > SHARE_ROWS || bytes > SHARE_BYTES;
}

/** The lane of acts that belong to no account. */
const SERVICE = "";
/** Behind the id of an account, the name of the lane of its completions. */
const COMPLETIONS = " completions";
const NONE: Accounts = new Set();
export const GROUP_ACTS_MAX = 256;
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
