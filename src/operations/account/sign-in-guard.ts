import { addressGroup } from "../../core/policy/egress/address.ts";
import type { Clock } from "../../platform/clock.ts";
import { Problem } from "../../core/problem.ts";
import { type BucketOptions, TokenBuckets } from "../token-buckets.ts";

/** Limits failed sign-ins for a name or an address. */
export class FailedLogins {
  readonly #tries: TokenBuckets;

  constructor(options: BucketOptions) {
    this.#tries = new TokenBuckets(options);
  }

  /** Counts a try before its result is known, so that parallel tries are counted too. */
  spend(key: string): void {
    const waitMs = this.#tries.take(key);
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1_000);
    throw new Problem("too-many-requests", "too many failed sign-ins; try again later", seconds);
  }

  /** The try succeeded, so it does not count. */
  giveBack(key: string): void {
    this.#tries.giveBack(key);
  }
}

interface SignIn {
  /** No failures from its address: it goes before addresses with failures. */
  readonly isTrusted: boolean;
  succeeded(): void;
  failed(): void;
  /** The password was not checked, so the caller learned nothing: the try does not count. */
  withdraw(): void;
}

/**
 * Limits failed sign-ins of names and addresses. An address is slowed down by its own failures.
 * Failures of a name from any address slow down only addresses that have failed themselves, so that
 * strangers cannot lock out an address without failures.
 */
export class SignInGuard {
  readonly #clock: Clock;
  readonly #byAddress: FailedLogins;
  /** For addresses that have failed lately, under any name. */
  readonly #byName: FailedLogins;
  /** For addresses that have not: each has few such tries, but there may be many addresses. */
  readonly #byNameFromClean: FailedLogins;
  readonly #failedAt = new Map<string, number>();
  readonly #succeeded = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#byAddress = new FailedLogins({ clock, burst: 10, refillMs: 6_000 });
    this.#byName = new FailedLogins({ clock, burst: 50, refillMs: 2_000 });
    this.#byNameFromClean = new FailedLogins({ clock, burst: 100, refillMs: 100 });
  }

  /** Counts a try before its result is known, or refuses it. */
  begin(name: string, source: string): SignIn {
    const address = addressGroup(source);
    this.#byAddress.spend(address);
    const pair = JSON.stringify([address, name]);
    const isKnown = this.#succeeded.has(pair);
    const isClean = this.#isClean(address);
    const names = isKnown ? null : isClean ? this.#byNameFromClean : this.#byName;
    try {
      names?.spend(name);
    } catch (error) {
      // Other addresses have used up the tries of the name: this one keeps its own.
      this.#byAddress.giveBack(address);
      throw error;
    }
    const withdraw = (): void => {
      this.#byAddress.giveBack(address);
      names?.giveBack(name);
    };
    return {
      isTrusted: isKnown || isClean,
      succeeded: () => {
        withdraw();
        this.#remember(pair);
      },
      failed: () => this.#recordFailure(address),
      withdraw,
    };
  }

  #isClean(address: string): boolean {
    const failedAt = this.#failedAt.get(address);
    return failedAt === undefined || this.#clock.monotonic() - failedAt >= CLEAN_AFTER_MS;
  }

  #recordFailure(address: string): void {
    // The newest are last, so that the oldest are dropped first.
    this.#failedAt.delete(address);
    this.#failedAt.set(address, this.#clock.monotonic());
    const [oldest] = this.#failedAt.keys();
    if (this.#failedAt.size > KEPT_MAX && oldest !== undefined) this.#failedAt.delete(oldest);
  }

  #remember(pair: string): void {
    this.#succeeded.delete(pair);
    this.#succeeded.add(pair);
    const [oldest] = this.#succeeded;
    if (this.#succeeded.size > KEPT_MAX && oldest !== undefined) this.#succeeded.delete(oldest);
  }
}

/** An address without failures for this long counts as clean again. */
const CLEAN_AFTER_MS = 3_600_000;
const KEPT_MAX = 10_000;

interface Waiting {
  readonly check: () => Promise<boolean>;
  readonly resolve: (isRight: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Checks passwords one at a time, since each check takes a thread. Trusted callers go first and
 * have slots of their own, so that others cannot take them all.
 */
export class PasswordQueue {
  readonly #trusted: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #isChecking = false;

  run(check: () => Promise<boolean>, isTrusted: boolean): Promise<boolean> {
    const lane = isTrusted ? this.#trusted : this.#others;
    if (lane.length >= WAITING_MAX) {
      throw new Problem("too-many-requests", "too many sign in at once; try again", 1);
    }
    return new Promise((resolve, reject) => {
      lane.push({ check, resolve, reject });
      if (!this.#isChecking) void this.#checkAll();
    });
  }

  async #checkAll(): Promise<void> {
    this.#isChecking = true;
    for (;;) {
      const next = this.#trusted.shift() ?? this.#others.shift();
      if (next === undefined) break;
      try {
        next.resolve(await next.check());
      } catch (error) {
        next.reject(error);
      }
    }
    this.#isChecking = false;
  }
}

/** Of each kind. */
const WAITING_MAX = 16;
