import type { HostObstacle } from "../../core/model/line/waiting.ts";
import type { DueMessage } from "../../store/hand-over.ts";
import type { LeasedMessage } from "../../store/store.ts";
import type { EngineLimits } from "../engine-options.ts";
import { HostSlots } from "./host-slots.ts";

/** The resources of one attempt. */
export interface Load {
  readonly accountId: string;
  readonly host: string;
  readonly bytes: number;
  readonly isRetry: boolean;
}

export function loadOf({ lease, host, body, attempts }: LeasedMessage): Load {
  return { accountId: lease.accountId, host, bytes: body.byteLength, isRetry: attempts > 0 };
}

/**
 * The slots for messages that this node handles: a number in all, a number of bytes in memory, and
 * at most half of them for retries. A slot is held from its promise until the settlement is stored;
 * the host's slot only from the first byte to the response. So one dead destination never starves
 * the others.
 */
export class Slots {
  readonly #limits: EngineLimits;
  readonly hosts: HostSlots;
  readonly #usedByAccount = new Map<string, number>();
  #used = 0;
  #retries = 0;
  #bytes = 0;

  constructor(limits: EngineLimits) {
    this.#limits = limits;
    this.hosts = new HostSlots(limits.slotsPerHost);
  }

  get used(): number {
    return this.#used;
  }
  get free(): number {
    return this.#limits.slots - this.#used;
  }
  /** Claims leave these to new messages while several accounts are active. */
  get keptForNew(): number {
    return Math.floor(this.#limits.slots / 8);
  }
  get freeForRetries(): number {
    return Math.max(0, Math.floor(this.#limits.slots / 2) - this.#retries);
  }
  /** Bytes of bodies that may still be loaded. Small ones need not wait for large ones. */
  get bytesClaimable(): number {
    return Math.max(SMALL_BYTES, this.#limits.bytesMax - this.#bytes);
  }

  /** A message that takes the place of another needs no more memory, unless it is small. */
  bytesInPlaceOf({ bytes }: Load): number {
    return Math.max(SMALL_BYTES, bytes);
  }

  /** At least half of the slots are free, or the account has few; host and memory have room. */
  hasSpareSlots(load: Load): boolean {
    const half = this.#limits.slots / 2;
    return (
      (this.#used <= half || (this.free > 0 && this.#isBelowShare(load, half))) &&
      this.hosts.mayEarmark(load) &&
      (load.bytes <= this.bytesClaimable || this.#bytes === 0)
    );
  }

  /** What is missing to start a message that is due; null when there is room. */
  obstacleFor(message: DueMessage): HostObstacle | null {
    if (this.hosts.isFull(message)) {
      return this.hosts.isFailing(message) ? "host-failing" : "host-full";
    }
    const isFull = this.free <= 0 || (message.isRetry && this.freeForRetries === 0);
    return isFull ? "node-full" : null;
  }

  take({ accountId, bytes, isRetry }: Load): void {
    this.#usedByAccount.set(accountId, (this.#usedByAccount.get(accountId) ?? 0) + 1);
    this.#used += 1;
    this.#bytes += bytes;
    if (isRetry) this.#retries += 1;
  }

  release({ accountId, bytes, isRetry }: Load): void {
    const used = (this.#usedByAccount.get(accountId) ?? 0) - 1;
    if (used > 0) this.#usedByAccount.set(accountId, used);
    else this.#usedByAccount.delete(accountId);
    this.#used -= 1;
    this.#bytes -= bytes;
    if (isRetry) this.#retries -= 1;
  }

  /** An account beside others, of which each may have an equal part of `slots`. */
  #isBelowShare({ accountId }: Load, slots: number): boolean {
    const used = this.#usedByAccount.get(accountId) ?? 0;
    const accounts = this.#usedByAccount.size + (used === 0 ? 1 : 0);
    return accounts > 1 && used + 1 <= slots / accounts;
  }
}

/** The slots bound how much comes to this. */
const SMALL_BYTES = 64 * 1024;
