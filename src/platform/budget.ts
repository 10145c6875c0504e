import type { Clock } from "./clock.ts";

const NOTHING = (): void => undefined;

export interface BudgetOptions {
  readonly clock: Clock;
  /** The most that may be held at once, not counting the charge that goes first. */
  readonly totalMax: number;
  /**
   * The share of one owner; more only if it holds nothing else. With shares each owner has a line
   * of its own in which charges wait, without them all owners wait in one.
   */
  readonly ownerMax?: number;
  /** Charges that may wait in a line. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
  /** Additional bytes for charges of at most SMALL_BYTES, which may also overtake others. */
  readonly reserveBytes?: number;
  /**
   * Lets one charge at a time go first, beyond the budget. After this time it is asked to end, if
   * others wait.
   */
  readonly firstMsMax?: number;
  /** The error of a charge that waited in vain. */
  readonly refusal: () => Error;
}

/** A charge that waits for room. */
interface Ticket {
  readonly admitted: Promise<void>;
  /** Ends the wait as one that was in vain. */
  readonly cancel: () => void;
}

interface Waiting {
  readonly charge: Charge;
  readonly amount: number;
  readonly admit: () => void;
}

/**
 * Bounds what is held at once, such as the memory of bodies. Each user of it has a charge, which
 * may grow. When the budget or the share of an owner is spent, charges wait, and those of the owner
 * that holds least are admitted first. Where charges grow step by step, one of them goes first, so
 * that half-received bodies never wait for one another forever.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #ownerMax: number;
  readonly #reserveBytes: number;
  /** Those that wait, by line, in the order in which they came. */
  readonly #lines = new Map<string, Set<Waiting>>();
  readonly #heldByOwner = new Map<string, number>();
  #held = 0;
  #first: Charge | null = null;
  #cancelFirstTimer: () => void = NOTHING;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#ownerMax = options.ownerMax ?? Infinity;
    this.#reserveBytes = options.reserveBytes ?? 0;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Opens an empty charge. `onExpire` asks its owner to end it: it goes first, is slow, and others
   * wait.
   */
  open(owner: string, onExpire = NOTHING): Charge {
    return new Charge(this, owner, onExpire);
  }

  /** True when the amount is charged; false when there is no room for it now. */
  grow(charge: Charge, amount: number): boolean {
    if (!this.#hasRoom(charge, amount) || this.#isHeldBack(charge, amount)) return false;
    this.#add(charge, amount);
    return true;
  }

  wait(charge: Charge, amount: number): Ticket {
    const { clock, waitingMax, waitMsMax, refusal } = this.#options;
    const name = this.#lineOf(charge);
    const line = this.#lines.get(name) ?? new Set();
    if (line.size >= waitingMax) return { admitted: Promise.reject(refusal()), cancel: NOTHING };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const finish = (settle: () => void): void => {
      cancelTimer();
      line.delete(waiting);
      if (line.size === 0 && this.#lines.get(name) === line) this.#lines.delete(name);
      settle();
    };
    const refuse = (): void => finish(() => reject(refusal()));
    const waiting: Waiting = { charge, amount, admit: () => finish(resolve) };
    const cancelTimer = clock.after(waitMsMax, refuse);
    this.#lines.set(name, line.add(waiting));
    this.#admit();
    return { admitted: promise, cancel: refuse };
  }

  /** Changes what a charge holds, beyond the budget if necessary. */
  resize(charge: Charge, amount: number): void {
    const isLess = amount < charge.amount;
    this.#add(charge, amount - charge.amount);
    if (isLess && this.#lines.size > 0) this.#admit();
  }

  release(charge: Charge): void {
    if (charge === this.#first) {
      this.#first = null;
      this.#cancelFirstTimer();
    }
    this.resize(charge, 0);
  }

  #add(charge: Charge, amount: number): void {
    this.#held += amount;
    charge.amount += amount;
    const held = this.#heldBy(charge) + amount;
    if (held === 0) this.#heldByOwner.delete(charge.owner);
    else this.#heldByOwner.set(charge.owner, held);
  }

  #heldBy({ owner }: Charge): number {
    return this.#heldByOwner.get(owner) ?? 0;
  }

  #hasRoom(charge: Charge, amount: number): boolean {
    if (charge === this.#first) return true;
    const ownerHeld = this.#ownerMax === Infinity ? 0 : this.#heldBy(charge);
    if (ownerHeld > 0 && ownerHeld + amount > this.#ownerMax) return false;
    const held = this.#held - (this.#first?.amount ?? 0);
    // What is larger than a share needs only one, or it would wait until nothing else is held.
    const needed = Math.min(amount, this.#ownerMax);
    const reserveBytes = this.#isSmall(charge, amount) ? this.#reserveBytes : 0;
    return held + needed <= this.#options.totalMax + reserveBytes;
  }

  /** Only small charges overtake those that wait in their line. */
  #isHeldBack(charge: Charge, amount: number): boolean {
    if (this.#lines.size === 0 || charge === this.#first) return false;
    return this.#lines.has(this.#lineOf(charge)) && !this.#isSmall(charge, amount);
  }

  #isSmall({ amount }: Charge, more: number): boolean {
    return this.#reserveBytes > 0 && amount + more <= SMALL_BYTES;
  }

  #lineOf({ owner }: Charge): string {
    return this.#ownerMax === Infinity ? "" : owner;
  }

  #admit(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#add(next.charge, next.amount);
      next.admit();
    }
  }

  /** The head of a line for which there is room, or which may go beyond the budget; or a small one. */
  #next(): Waiting | null {
    const fits = ({ charge, amount }: Waiting): boolean => this.#hasRoom(charge, amount);
    const heads = Array.from(this.#lines.values(), (line) => this.#least(line)!);
    const next = this.#least(heads.filter(fits));
    if (next !== null) return next;
    const [head] = heads;
    if (head !== undefined && this.#makeFirst(head.charge)) return head;
    const waiting = [...this.#lines.values()].flatMap((line) => [...line]);
    const small = waiting.filter(({ charge, amount }) => this.#isSmall(charge, amount));
    return this.#least(small.filter(fits));
  }

  /** The one whose owner holds least; of several the one that came first. */
  #least(among: Iterable<Waiting>): Waiting | null {
    let least: Waiting | null = null;
    for (const one of among) {
      if (least === null || this.#heldBy(one.charge) < this.#heldBy(least.charge)) least = one;
    }
    return least;
  }

  /** False when another charge goes first, or none may. */
  #makeFirst(charge: Charge): boolean {
    const { firstMsMax } = this.#options;
    if (firstMsMax === undefined || this.#first !== null) return false;
    this.#first = charge;
    this.#watchFirst(charge, firstMsMax);
    return true;
  }

  #watchFirst(charge: Charge, firstMsMax: number): void {
    this.#cancelFirstTimer = this.#options.clock.after(firstMsMax, () => {
      this.#watchFirst(charge, firstMsMax);
      if (this.#lines.size > 0) charge.onExpire();
    });
  }
}

/** What one request or response takes from a budget. */
export class Charge {
  readonly owner: string;
  readonly onExpire: () => void;
  /** Set by the budget only. */
  amount = 0;
  readonly #budget: Budget;
  /** Does nothing once the wait has ended. */
  #cancelWait: () => void = NOTHING;

  constructor(budget: Budget, owner: string, onExpire: () => void) {
    this.#budget = budget;
    this.owner = owner;
    this.onExpire = onExpire;
  }

  /** True when the amount is charged; false when there is no room for it now. */
  grow(amount: number): boolean {
    return this.#budget.grow(this, amount);
  }

  /**
   * Charges the amount as soon as there is room; refused when too many charges wait, or for too
   * long.
   */
  wait(amount: number): Promise<void> {
    const { admitted, cancel } = this.#budget.wait(this, amount);
    this.#cancelWait = cancel;
    return admitted;
  }

  /** Changes the charged amount, whether there is room or not. */
  resize(amount: number): void {
    this.#budget.resize(this, amount);
  }

  /** Returns everything to the budget and ends a pending wait. */
  release(): void {
    this.#cancelWait();
    if (this.amount > 0) this.#budget.release(this);
  }
}

/** The largest charge that may use the reserve. */
export const SMALL_BYTES = 64 * 1024;
