import { lineKind, type LineKey } from "../core/model/line/line.ts";
import type { Instant } from "../core/model/time.ts";
import { pairKey } from "./group/row-keys.ts";
import type { Claim, ClaimRequest } from "./store.ts";
import type { GrantedLease } from "../core/model/message/message.ts";

/** What a claim has done, before its messages are read. */
export interface Claimed extends Omit<Claim, "leased"> {
  readonly leased: readonly GrantedLease[];
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
  readonly #takenByHost = new Map<string, number>();
  /** By account and host. */
  readonly #takenByPair = new Map<string, number>();
  readonly #fullHosts: ReadonlySet<string>;
  #slots: number;
  #retrySlots: number;
  #bytes: number;

  constructor(request: DueClaim) {
    this.request = request;
    this.#slots = request.slots;
    this.#retrySlots = request.retrySlots;
    this.#bytes = request.bytesMax;
    this.#fullHosts = new Set(request.fullHosts);
  }

  get slots(): number {
    return this.#slots;
  }

  /** Of the bodies of what was taken. */
  get bytesTaken(): number {
    return this.request.bytesMax - this.#bytes;
  }

  get retrySlots(): number {
    return this.#retrySlots;
  }

  /** Whether a due message of any line could start. */
  get isOpen(): boolean {
    return (
      this.#retrySlots > 0 && this.fullLines.length === 0 && this.fullAccountLines.length === 0
    );
  }

  /** Lines of hosts that have no free slot on this node. */
  get fullLines(): string[] {
    const full = new Set(this.#fullHosts);
    const addIfFull = (host: string): void => {
      if (this.#hostRoom(host) <= 0) full.add(host);
    };
    for (const host of this.#takenByHost.keys()) addIfFull(host);
    for (const host of this.request.hostSlots?.keys() ?? []) addIfFull(host);
    return [...full].flatMap((host) => linesOf(host));
  }

  /** Lines of accounts that have used their share of a host, although the host has free slots. */
  get fullAccountLines(): LineKey[] {
    const full: LineKey[] = [];
    const add = (accountId: string, host: string): void => {
      if (this.#shareOf(accountId, host) > 0) return;
      for (const line of linesOf(host)) full.push({ accountId, line });
    };
    const { hostShares } = this.request;
    for (const [host, { accounts }] of hostShares ?? []) {
      for (const accountId in accounts) add(accountId, host);
    }
    for (const key of this.#takenByPair.keys()) {
      const end = key.indexOf("\0");
      const [accountId, host] = [key.slice(0, end), key.slice(end + 1)];
      if (hostShares?.get(host)?.accounts[accountId] === undefined) add(accountId, host);
    }
    return full;
  }

  /** How many messages of a line the node could start; a key leads to many hosts. */
  roomFor({ accountId, line }: LineKey): number {
    const slots = this.slotsFor(line);
    if (lineKind(line) === "key") return slots;
    return Math.min(slots, this.#room(accountId, line.slice(2)));
  }

  /** The slots that the remaining lines share. */
  slotsFor(line: string): number {
    return isRetry(line) ? Math.min(this.#slots, this.#retrySlots) : this.#slots;
  }

  /** No message of the line could be started, with any number of slots. */
  isShut({ accountId, line }: LineKey): boolean {
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
    const key = pairKey(accountId, host);
    this.#takenByHost.set(host, (this.#takenByHost.get(host) ?? 0) + 1);
    this.#takenByPair.set(key, (this.#takenByPair.get(key) ?? 0) + 1);
  }

  #room(accountId: string, host: string): number {
    return Math.max(0, Math.min(this.#hostRoom(host), this.#shareOf(accountId, host)));
  }

  #hostRoom(host: string): number {
    if (this.#fullHosts.has(host)) return 0;
    const { hostSlots, slotsPerHost = Infinity } = this.request;
    return (hostSlots?.get(host) ?? slotsPerHost) - (this.#takenByHost.get(host) ?? 0);
  }

  #shareOf(accountId: string, host: string): number {
    const share = this.request.hostShares?.get(host);
    const slots = share?.accounts[accountId] ?? share?.others ?? Infinity;
    return slots === Infinity
      ? slots
      : slots - (this.#takenByPair.get(pairKey(accountId, host)) ?? 0);
  }
}

function linesOf(host: string): string[] {
  return [`h:${host}`, `r:${host}`];
}

function isRetry(line: string): boolean {
  return lineKind(line) === "retry";
}
