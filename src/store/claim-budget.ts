import { lineKind } from "../core/model/line/line.ts";
import type { Instant } from "../core/model/time.ts";
import { pairKey } from "./group/row-keys.ts";
import type { ClaimRequest } from "./store.ts";

/** A lease as a claim grants it, before its message is read. */
export interface ClaimedLease {
  readonly accountId: string;
  readonly messageId: string;
  readonly fence: number;
  readonly host: string;
  readonly attempts: number;
}

/** A line and its account. */
interface AccountLine {
  readonly accountId: string;
  readonly line: string;
}

/** What a message uses up of the budget. */
interface Cost {
  readonly accountId: string;
  readonly host: string;
  readonly bytes: number;
}

/** A claim in due time, with the time of the clock for the log. */
export interface DueClaim extends Omit<ClaimRequest, "aheadMs"> {
  readonly shownAt: Instant;
}

export function dueClaim({ aheadMs, ...request }: ClaimRequest): DueClaim {
  return { ...request, now: request.now + aheadMs, shownAt: request.now };
}

/** What one claim may still take: slots, bytes, and slots for each host and account. */
export class ClaimBudget {
  readonly request: DueClaim;
  readonly #hostSlots: Map<string, number>;
  /** By account and host; pairs without a lease are still in the request. */
  readonly #shares = new Map<string, number>();
  #slots: number;
  #retrySlots: number;
  #bytes: number;

  constructor(request: DueClaim) {
    this.request = request;
    this.#slots = request.slots;
    this.#retrySlots = request.retrySlots;
    this.#bytes = request.bytesMax;
    this.#hostSlots = new Map(Object.entries(request.hostSlots ?? {}));
    for (const host of request.fullHosts) this.#hostSlots.set(host, 0);
    for (const [host, { accounts }] of Object.entries(request.hostShares ?? {})) {
      for (const [accountId, share] of Object.entries(accounts)) {
        this.#shares.set(pairKey(accountId, host), share);
      }
    }
  }

  get slots(): number {
    return this.#slots;
  }

  get retrySlots(): number {
    return this.#retrySlots;
  }

  /** Lines of hosts that have no free slot on this node. */
  get fullLines(): string[] {
    const full = [...this.#hostSlots].filter(([, slots]) => slots <= 0);
    return full.flatMap(([host]) => linesOf(host));
  }

  /** Lines of accounts that have used their share of a host, although the host has free slots. */
  get fullAccountLines(): AccountLine[] {
    const full = [...this.#shares].filter(([, share]) => share <= 0);
    return full.flatMap(([key]) => {
      const end = key.indexOf("\0");
      const accountId = key.slice(0, end);
      return linesOf(key.slice(end + 1)).map((line) => ({ accountId, line }));
    });
  }

  /** How many messages of a line the node could start; a key leads to many hosts. */
  roomFor({ accountId, line }: AccountLine): number {
    const slots = this.slotsFor(line);
    if (lineKind(line) === "key") return slots;
    return Math.min(slots, this.#room(accountId, line.slice(2)));
  }

  /** The slots that the remaining lines share. */
  slotsFor(line: string): number {
    return isRetry(line) ? Math.min(this.#slots, this.#retrySlots) : this.#slots;
  }

  /** No message of the line could be started, with any number of slots. */
  isShut({ accountId, line }: AccountLine): boolean {
    const kind = lineKind(line);
    if (kind !== "host" && kind !== "retry") return false;
    if (kind === "retry" && this.#retrySlots === 0) return true;
    return this.#room(accountId, line.slice(2)) <= 0;
  }

  /** One message of any size is allowed when the claim holds no other bytes. */
  affords({ accountId, host, bytes }: Cost): boolean {
    if (this.#slots === 0 || this.#room(accountId, host) <= 0) return false;
    return bytes <= this.#bytes || this.#bytes === this.request.bytesMax;
  }

  spend(line: string, { accountId, host, bytes }: Cost): void {
    this.#slots -= 1;
    this.#bytes -= bytes;
    if (isRetry(line)) this.#retrySlots -= 1;
    this.#hostSlots.set(host, this.#hostRoom(host) - 1);
    const share = this.#shareOf(accountId, host);
    if (share !== Infinity) this.#shares.set(pairKey(accountId, host), share - 1);
  }

  #room(accountId: string, host: string): number {
    return Math.max(0, Math.min(this.#hostRoom(host), this.#shareOf(accountId, host)));
  }

  #hostRoom(host: string): number {
    return this.#hostSlots.get(host) ?? this.request.slotsPerHost ?? Infinity;
  }

  #shareOf(accountId: string, host: string): number {
    const known = this.#shares.get(pairKey(accountId, host));
    return known ?? this.request.hostShares?.[host]?.others ?? Infinity;
  }
}

function linesOf(host: string): string[] {
  return [`h:${host}`, `r:${host}`];
}

function isRetry(line: string): boolean {
  return lineKind(line) === "retry";
}
