import type { Problem } from "../../../core/problem.ts";
import type { Clock } from "../../../platform/clock.ts";

export interface FairShareOptions {
  readonly clock: Clock;
  /** The most that one account may hold at once; more only if it holds nothing else. */
  readonly accountMax: number;
  /** The most that all accounts may hold at once. */
  readonly totalMax: number;
  readonly waitMsMax: number;
  /** Requests of one account that may wait. */
  readonly waitingMax: number;
  /** The error for a request that has waited too long, or finds too many waiting. */
  readonly refusal: () => Problem;
}

/** The share of a request, held or waited for. */
export interface Held {
  /** Changes the held amount, once admitted; beyond the free amount if necessary. */
  readonly resize: (amount: number) => void;
  /** Releases the share, or stops waiting for it. */
  readonly leave: () => void;
}

export interface Admission extends Held {
  readonly admitted: Promise<void>;
}

interface Waiting {
  readonly amount: number;
  readonly admit: () => void;
}

interface Holder {
  readonly accountId: string;
  held: number;
  /** Shares that have not been released, also those of nothing. */
  readonly open: Set<Held>;
  readonly waiting: Set<Waiting>;
}

/**
 * Shares a bounded amount between accounts. A request that does not fit waits a while; a released
 * amount goes to the waiting account that holds least.
 */
export class FairShare {
  readonly #options: FairShareOptions;
  readonly #holders = new Map<string, Holder>();
  #held = 0;

  constructor(options: FairShareOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#held;
  }

  /** Throws the refusal when too many wait; the promise rejects with it after too long a wait. */
  enter(accountId: string, amount: number): Admission {
    const holder = this.#holders.get(accountId) ?? newHolder(accountId);
    if (holder.waiting.size === 0 && this.#fits(holder, amount)) {
      this.#holders.set(accountId, holder);
      return { admitted: ADMITTED, ...this.#hold(holder, amount) };
    }
    if (holder.waiting.size >= this.#options.waitingMax) throw this.#options.refusal();
    this.#holders.set(accountId, holder);
    return this.#wait(holder, amount);
  }

  /** Holds an amount that is already in use, whether it fits or not. */
  take(accountId: string, amount: number): Held {
    const holder = this.#holders.get(accountId) ?? newHolder(accountId);
    this.#holders.set(accountId, holder);
    return this.#hold(holder, amount);
  }

  #wait(holder: Holder, amount: number): Admission {
    const { clock, waitMsMax, refusal } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const finish = (): void => {
      cancelTimer();
      holder.waiting.delete(waiting);
    };
    const refuse = (): void => {
      finish();
      this.#forget(holder);
      held = NOTHING_HELD;
      reject(refusal());
    };
    const admit = (): void => {
      finish();
      held = this.#hold(holder, amount);
      resolve();
    };
    let held: Held = { resize: ignore, leave: refuse };
    const waiting: Waiting = { amount, admit };
    const cancelTimer = clock.after(waitMsMax, refuse);
    holder.waiting.add(waiting);
    return {
      admitted: promise,
      resize: (size) => held.resize(size),
      leave: () => held.leave(),
    };
  }

  #hold(holder: Holder, amount: number): Held {
    let holds = 0;
    const resize = (size: number): void => {
      const difference = size - holds;
      holds = size;
      holder.held += difference;
      this.#held += difference;
      if (difference < 0) this.#admitWaiting();
    };
    resize(amount);
    const leave = (): void => {
      resize(0);
      holder.open.delete(held);
      this.#forget(holder);
    };
    const held = { resize, leave };
    holder.open.add(held);
    return held;
  }

  #admitWaiting(): void {
    for (;;) {
      const next = this.#nextHolder();
      if (next === null) return;
      const [waiting] = next.waiting;
      waiting!.admit();
    }
  }

  /** Of the accounts whose first request fits, the one that holds least. */
  #nextHolder(): Holder | null {
    let next: Holder | null = null;
    for (const holder of this.#holders.values()) {
      const [waiting] = holder.waiting;
      if (waiting === undefined || !this.#fits(holder, waiting.amount)) continue;
      if (next === null || holder.held < next.held) next = holder;
    }
    return next;
  }

  #fits(holder: Holder, amount: number): boolean {
    const { accountMax, totalMax } = this.#options;
    const fitsAccount = holder.held === 0 || holder.held + amount <= accountMax;
    // A request larger than a share needs only one share, or it would wait until nothing else is
    // held.
    const needed = Math.min(amount, accountMax);
    return fitsAccount && (this.#held === 0 || this.#held + needed <= totalMax);
  }

  #forget(holder: Holder): void {
    if (holder.open.size === 0 && holder.waiting.size === 0) this.#holders.delete(holder.accountId);
  }
}

function newHolder(accountId: string): Holder {
  return { accountId, held: 0, open: new Set(), waiting: new Set() };
}

function ignore(): void {}

const NOTHING_HELD: Held = { resize: ignore, leave: ignore };
const ADMITTED = Promise.resolve();
