import { lineKind } from "../core/model/line.ts";
import type { ClaimRequest } from "./store.ts";

/** A lease as a claim grants it, before its message is read. */
export interface ClaimedLease {
  readonly accountId: string;
  readonly messageId: string;
  readonly fence: number;
  readonly host: string;
  readonly attempts: number;
}

/** What is left of a claim's allowance while it goes from line to line. */
export class Purse {
  readonly request: ClaimRequest;
  readonly #hostSlots: Map<string, number>;
  #slots: number;
  #retrySlots: number;
  #bytes: number;

  constructor(request: ClaimRequest) {
    this.request = request;
    this.#slots = request.slots;
    this.#retrySlots = request.retrySlots;
    this.#bytes = request.bytesMax;
    this.#hostSlots = new Map(Object.entries(request.hostSlots ?? {}));
    for (const host of request.fullHosts) this.#hostSlots.set(host, 0);
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
    return full.flatMap(([host]) => [`h:${host}`, `r:${host}`]);
  }

  /** How many the node could start of a line; a key leads to many hosts. */
  roomFor(line: string): number {
    const slots = isRetry(line) ? Math.min(this.#slots, this.#retrySlots) : this.#slots;
    return lineKind(line) === "key" ? slots : Math.min(slots, this.#hostRoom(line.slice(2)));
  }

  /** Slots that the lines share which are still to be served. */
  slotsFor(line: string): number {
    return isRetry(line) ? Math.min(this.#slots, this.#retrySlots) : this.#slots;
  }

  /** Nothing of the line could be started, whatever slots there were. */
  isShut(line: string): boolean {
    const kind = lineKind(line);
    if (kind !== "host" && kind !== "retry") return false;
    return this.#hostRoom(line.slice(2)) === 0 || (kind === "retry" && this.#retrySlots === 0);
  }

  /** One message is always allowed, however large, when nothing else is on its way into memory. */
  affords({ host, bytes }: { readonly host: string; readonly bytes: number }): boolean {
    if (this.#slots === 0 || this.#hostRoom(host) === 0) return false;
    return bytes <= this.#bytes || this.#bytes === this.request.bytesMax;
  }

  spend(line: string, { host, bytes }: { readonly host: string; readonly bytes: number }): void {
    this.#slots -= 1;
    this.#bytes -= bytes;
    if (isRetry(line)) this.#retrySlots -= 1;
    this.#hostSlots.set(host, this.#hostRoom(host) - 1);
  }

  #hostRoom(host: string): number {
    return this.#hostSlots.get(host) ?? this.request.slotsPerHost ?? Infinity;
  }
}

function isRetry(line: string): boolean {
  return lineKind(line) === "retry";
}
