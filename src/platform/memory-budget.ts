import type { Clock } from "./clock.ts";

export interface MemoryBudgetOptions {
  readonly clock: Clock;
  /** Bytes that may be held at once, not counting the charge that goes first. */
  readonly bytesMax: number;
  /** Additional bytes for charges of at most SMALL_BYTES. */
  readonly reserveBytes: number;
  /** Charges that may wait for room. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
  /** After this time the charge that goes first is asked to end, if others wait. */
  readonly firstMsMax: number;
  /** The error of a charge that waited in vain. */
  readonly refusal: () => Error;
}

/** A charge that waits for room. */
export interface Ticket {
  readonly admitted: Promise<void>;
  /** Ends the wait without a charge. */
  readonly cancel: () => void;
}

interface Waiting {
  readonly charge: Charge;
  readonly bytes: number;
  readonly admit: () => void;
  readonly refuse: () => void;
}

/**
 * Bounds the memory of data that arrives from outside. Each body has a charge, which grows with it.
 * When the budget is spent, charges wait, those of the owner that holds least first. One charge may
 * grow beyond the budget, so that half-received bodies never wait for one another forever. Small
 * charges have a reserve.
 */
export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #waiting = new Set<Waiting>();
  readonly #heldByOwner = new Map<string, number>();
  #used = 0;
  #first: Charge | null = null;
  #cancelFirstTimer: () => void = () => undefined;

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Opens an empty charge. `onExpire` asks its owner to end it: it goes first, is slow, and others
   * wait.
   */
  open(owner: string, onExpire: () => void = () => undefined): Charge {
    return new Charge(this, owner, onExpire);
  }

  /** True when the bytes are charged; false when there is no room for them now. */
  grow(charge: Charge, bytes: number): boolean {
    if (!this.#hasRoom(charge, bytes) || this.#isHeldBack(charge, bytes)) return false;
    this.#add(charge, bytes);
    return true;
  }

  wait(charge: Charge, bytes: number): Ticket {
    const { clock, waitingMax, waitMsMax, refusal } = this.#options;
    if (this.#waiting.size >= waitingMax) throw refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const finish = (settle: () => void): void => {
      cancelTimer();
      this.#waiting.delete(waiting);
      settle();
    };
    const waiting: Waiting = {
      charge,
      bytes,
      admit: () => finish(resolve),
      refuse: () => finish(() => reject(refusal())),
    };
    const cancelTimer = clock.after(waitMsMax, waiting.refuse);
    this.#waiting.add(waiting);
    this.#admit();
    return { admitted: promise, cancel: waiting.refuse };
  }

  release(charge: Charge, bytes: number): void {
    if (charge === this.#first) {
      this.#first = null;
      this.#cancelFirstTimer();
    }
    this.#add(charge, -bytes);
    if (this.#waiting.size > 0) this.#admit();
  }

  #add(charge: Charge, bytes: number): void {
    this.#used += bytes;
    charge.bytes += bytes;
    const held = this.#heldBy(charge) + bytes;
    if (held === 0) this.#heldByOwner.delete(charge.owner);
    else this.#heldByOwner.set(charge.owner, held);
  }

  #heldBy({ owner }: Charge): number {
    return this.#heldByOwner.get(owner) ?? 0;
  }

  #hasRoom(charge: Charge, bytes: number): boolean {
    if (charge === this.#first) return true;
    const { bytesMax, reserveBytes } = this.#options;
    const used = this.#used - (this.#first?.bytes ?? 0);
    return used + bytes <= bytesMax + (isSmall(charge, bytes) ? reserveBytes : 0);
  }

  /** Large charges do not overtake waiting ones. */
  #isHeldBack(charge: Charge, bytes: number): boolean {
    return this.#waiting.size > 0 && charge !== this.#first && !isSmall(charge, bytes);
  }

  #admit(): void {
    const order = [...this.#waiting].toSorted(
      (one, other) => this.#heldBy(one.charge) - this.#heldBy(other.charge),
    );
    let isFull = false;
    for (const { charge, bytes, admit } of order) {
      const isAdmitted = this.#hasRoom(charge, bytes) && (!isFull || isSmall(charge, bytes));
      if (!isAdmitted && this.#first === null) this.#makeFirst(charge);
      else if (!isAdmitted) {
        isFull = true;
        continue;
      }
      this.#add(charge, bytes);
      admit();
    }
  }

  #makeFirst(charge: Charge): void {
    this.#first = charge;
    this.#watchFirst(charge);
  }

  #watchFirst(charge: Charge): void {
    this.#cancelFirstTimer = this.#options.clock.after(this.#options.firstMsMax, () => {
      this.#watchFirst(charge);
      if (this.#waiting.size > 0) charge.onExpire();
    });
  }
}

/** The memory that one request or response body takes from a budget. */
export class Charge {
  readonly owner: string;
  readonly onExpire: () => void;
  /** Set by the budget only. */
  bytes = 0;
  readonly #budget: MemoryBudget;
  #ticket: Ticket | null = null;

  constructor(budget: MemoryBudget, owner: string, onExpire: () => void) {
    this.#budget = budget;
    this.owner = owner;
    this.onExpire = onExpire;
  }

  /** True when the bytes are charged; false when there is no room for them now. */
  grow(bytes: number): boolean {
    return this.#budget.grow(this, bytes);
  }

  /**
   * Charges the bytes as soon as there is room; refused when too many charges wait, or for too
   * long.
   */
  async wait(bytes: number): Promise<void> {
    this.#ticket = this.#budget.wait(this, bytes);
    await this.#ticket.admitted;
    this.#ticket = null;
  }

  /** Returns all bytes to the budget and cancels a pending wait. */
  release(): void {
    const ticket = this.#ticket;
    this.#ticket = null;
    ticket?.cancel();
    if (this.bytes > 0) this.#budget.release(this, this.bytes);
  }
}

function isSmall(charge: Charge, bytes: number): boolean {
  return charge.bytes + bytes <= SMALL_BYTES;
}

/** The largest charge that may use the reserve. */
export const SMALL_BYTES = 64 * 1024;
