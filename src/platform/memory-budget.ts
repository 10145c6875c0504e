import type { Clock } from "./clock.ts";

export interface MemoryBudgetOptions {
  readonly clock: Clock;
  /** Bytes that may be held at once, beside those of the charge that goes first. */
  readonly bytesMax: number;
  /** Beyond that, for charges of at most SMALL_BYTES. */
  readonly reserveBytes: number;
  /** Charges that may wait for room. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
  /** After so long the charge that goes first is asked to end, if others wait. */
  readonly firstMsMax: number;
  /** What a charge is refused with that waited in vain. */
  readonly refusal: () => Error;
}

/** A charge that waits for room. */
export interface Ticket {
  readonly admitted: Promise<void>;
  /** The charge needs the room no more. */
  readonly cancel: () => void;
}

interface Waiting {
  readonly charge: Charge;
  readonly bytes: number;
  readonly admit: () => void;
  readonly refuse: () => void;
}

/**
 * Bounds the memory of what arrives from outside. Each body has a charge, which grows with it. When
 * the budget is spent, charges wait: those of the owner that holds least go first. One of them
 * is let grow beyond the budget, so that bodies that are half there never wait for one another for
 * ever. Small charges have a reserve of their own.
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

  /** A charge of nothing yet. `onExpire` asks it to end: it goes first, is slow, and others wait. */
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

  /** Large charges do not overtake those that wait. */
  #isHeldBack(charge: Charge, bytes: number): boolean {
    return this.#waiting.size > 0 && charge !== this.#first && !isSmall(charge, bytes);
  }

  #admit(): void {
    const order = [...this.#waiting].toSorted(
      (one, other) => this.#heldBy(one.charge) - this.#heldBy(other.charge),
    );
    let isFull = false;
    for (const { charge, bytes, admit } of order) {
      const mayGo = this.#hasRoom(charge, bytes) && (!isFull || isSmall(charge, bytes));
      if (!mayGo && this.#first === null) this.#letFirst(charge);
      else if (!mayGo) {
        isFull = true;
        continue;
      }
      this.#add(charge, bytes);
      admit();
    }
  }

  #letFirst(charge: Charge): void {
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

/** What one body, or one answer, takes up of a budget. */
export class Charge {
  readonly owner: string;
  readonly onExpire: () => void;
  /** Set by the budget alone. */
  bytes = 0;
  readonly #budget: MemoryBudget;
  #ticket: Ticket | null = null;

  constructor(budget: MemoryBudget, owner: string, onExpire: () => void) {
    this.#budget = budget;
    this.owner = owner;
    this.onExpire = onExpire;
  }

  /** True when so many more bytes are charged; false when there is no room for them now. */
  grow(bytes: number): boolean {
    return this.#budget.grow(this, bytes);
  }

  /** Charges the bytes as soon as there is room; refused when too many wait, or for too long. */
  async wait(bytes: number): Promise<void> {
    this.#ticket = this.#budget.wait(this, bytes);
    await this.#ticket.admitted;
    this.#ticket = null;
  }

  /** Gives everything back, and waits for nothing more. */
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

/** At most this much is small. */
export const SMALL_BYTES = 64 * 1024;
