/**
 * Resolves host names to addresses: one lookup serves all concurrent callers, and its answer is
 * cached for a short while.
 */

import { Budget } from "../../platform/budget.ts";
import type { Clock } from "../../platform/clock.ts";
import { createNameLookup, type Lookup } from "./name-lookup.ts";
import { DeliveryError, seconds } from "../http/network-error.ts";

interface Known {
  readonly addresses: readonly string[];
  /** When it is looked up again. */
  readonly until: number;
  /** Until when it is used if no name server answers. */
  readonly staleUntil: number;
}

export class NameResolver {
  readonly #clock: Clock;
  readonly #ask: Lookup;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<readonly string[]>>();
  /** The lookups of each account under way. */
  readonly #lookups: Budget;

  constructor(clock: Clock, ask: Lookup = createNameLookup()) {
    this.#clock = clock;
    this.#ask = ask;
    this.#lookups = new Budget({ clock, ...LOOKUPS });
  }

  /** Whether its addresses are cached. */
  isKnown(host: string): boolean {
    return this.#usable(host, "until") !== null;
  }

  /**
   * Rejects when the name has no address, or none was found in time. With an account it uses one of
   * the account's lookups under way, or waits for one.
   */
  async resolve(host: string, accountId?: string): Promise<readonly string[]> {
    const fresh = this.#usable(host, "until");
    if (fresh !== null) return fresh;
    const asking = this.#asking.get(host);
    if (asking !== undefined) return this.#orStale(host, asking);
    if (accountId === undefined) return this.#orStale(host, this.#askOnce(host));
    const lookup = this.#lookups.open(accountId);
    if (!lookup.grow(1)) await lookup.wait(1);
    try {
      // Another caller may have looked it up in the meantime.
      const found = this.#usable(host, "until");
      if (found !== null) return found;
      return await this.#orStale(host, this.#asking.get(host) ?? this.#askOnce(host));
    } finally {
      lookup.release();
    }
  }

  /** The cached answer is used when the name server is silent, after a short wait. */
  async #orStale(host: string, asking: Promise<readonly string[]>): Promise<readonly string[]> {
    if (this.#usable(host, "staleUntil") === null) return asking;
    try {
      return await within(this.#clock, STALE_AFTER_MS, asking);
    } catch (error) {
      const stale = this.#usable(host, "staleUntil");
      // A name that is gone has been forgotten.
      if (stale === null) throw error;
      this.#keep(host, { ...this.#known.get(host)!, until: this.#clock.monotonic() + REPEAT_MS });
      return stale;
    }
  }

  #askOnce(host: string): Promise<readonly string[]> {
    const answer = this.#askInTime(host);
    this.#asking.set(host, answer);
    return answer;
  }

  async #askInTime(host: string): Promise<readonly string[]> {
    try {
      const addresses = await within(this.#clock, TIMEOUT_MS, this.#ask(host));
      const now = this.#clock.monotonic();
      this.#keep(host, { addresses, until: now + KEEP_MS, staleUntil: now + STALE_MS });
      return addresses;
    } catch (error) {
      if (isNoSuchHost(error)) this.#known.delete(host);
      throw error;
    } finally {
      this.#asking.delete(host);
    }
  }

  #usable(host: string, limit: "until" | "staleUntil"): readonly string[] | null {
    const found = this.#known.get(host);
    return found !== undefined && found[limit] > this.#clock.monotonic() ? found.addresses : null;
  }

  #keep(host: string, known: Known): void {
    this.#known.delete(host);
    if (this.#known.size >= KNOWN_MAX) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(host, known);
  }
}

function isNoSuchHost(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === "ENOTFOUND" || code === "ENODATA";
}

function within<T>(clock: Clock, timeoutMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => {
      reject(new DeliveryError(`no answer to the name lookup within ${seconds(timeoutMs)}`));
    });
    promise.then(resolve, reject).finally(cancel);
  });
}

const TIMEOUT_MS = 5_000;
const KEEP_MS = 30_000;
/** An answer older than this is not used, even if there is no other. */
const STALE_MS = 600_000;
/** How long a new answer is awaited when there is an old one. */
const STALE_AFTER_MS = 1_000;
/** How long an old answer is used before the name is looked up again. */
const REPEAT_MS = 5_000;
const KNOWN_MAX = 10_000;
/** So many of one account at once; the others wait as long as their deliveries. */
const LOOKUPS = {
  totalMax: Infinity,
  ownerMax: 32,
  waitingMax: Infinity,
  waitMsMax: 86_400_000,
  refusal: () => new DeliveryError("too many name lookups"),
};
