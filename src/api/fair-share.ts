import type { Problem } from "../core/problem.ts";
import type { Clock } from "../platform/clock.ts";

export interface FairShareOptions {
  readonly clock: Clock;
  /** What one account may hold at once; more only if it holds nothing else. */
  readonly accountMax: number;
  /** What all accounts may hold at once. */
  readonly totalMax: number;
  readonly waitMsMax: number;
  /** Requests of one account that may wait. */
  readonly waitingMax: number;
  /** Told to the caller who has waited too long, or who finds too many waiting. */
  readonly refusal: () => Problem;
}

/** What a request holds, or waits for. */
export interface Place {
  readonly admitted: Promise<void>;
  /** Gives it back, or stops waiting for it. */
  readonly leave: () => void;
}

interface Waiting {
  readonly amount: number;
  readonly admit: () => void;
}

interface Holder {
  readonly accountId: string;
  held: number;
  readonly waiting: Set<Waiting>;
}

/**
 * Shares something of which there is a bounded amount between accounts. A request that finds no
 * room waits a while; room that becomes free goes to the waiting account that holds least.
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
  enter(accountId: string, amount: number): Place {
    const holder = this.#holders.get(accountId) ?? { accountId, held: 0, waiting: new Set() };
    if (holder.waiting.size === 0 && this.#fits(holder, amount)) {
      this.#holders.set(accountId, holder);
      this.#take(holder, amount);
      return { admitted: ADMITTED, leave: once(() => this.#giveBack(holder, amount)) };
    }
    if (holder.waiting.size >= this.#options.waitingMax) throw this.#options.refusal();
    this.#holders.set(accountId, holder);
    return this.#wait(holder, amount);
  }

  #wait(holder: Holder, amount: number): Place {
    const { clock, waitMsMax, refusal } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const finish = (next: () => void, settle: () => void): void => {
      cancelTimer();
      holder.waiting.delete(waiting);
      leave = once(next);
      settle();
    };
    const refuse = (): void => {
      finish(nothing, () => reject(refusal()));
      this.#forget(holder);
    };
    let leave = refuse;
    const admit = (): void => finish(() => this.#giveBack(holder, amount), resolve);
    const waiting: Waiting = { amount, admit };
    const cancelTimer = clock.after(waitMsMax, refuse);
    holder.waiting.add(waiting);
    return { admitted: promise, leave: () => leave() };
  }

  #giveBack(holder: Holder, amount: number): void {
    holder.held -= amount;
    this.#held -= amount;
    this.#forget(holder);
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    for (;;) {
      const next = this.#nextHolder();
      if (next === null) return;
      const [waiting] = next.waiting;
      this.#take(next, waiting!.amount);
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
    return fitsAccount && (this.#held === 0 || this.#held + amount <= totalMax);
  }

  #take(holder: Holder, amount: number): void {
    holder.held += amount;
    this.#held += amount;
  }

  #forget(holder: Holder): void {
    if (holder.held === 0 && holder.waiting.size === 0) this.#holders.delete(holder.accountId);
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}

function nothing(): void {}

const ADMITTED = Promise.resolve();
