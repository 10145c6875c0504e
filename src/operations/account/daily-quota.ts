import type { Account } from "../../core/model/account/account.ts";
import { dayOf, startOfDay } from "../../core/model/account/stats.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import type { AccountReader } from "../../store/reader/accounts.ts";

/** The known counts of an account's day. */
interface Day {
  day: number;
  /** Messages of all nodes, at the last reading of the store. */
  stored: number;
  /** Accepted here since that reading, which may not include them. */
  since: number;
  /** Taken here, and not yet known to be stored. */
  underWay: number;
  /** When to read again, by the monotonic clock. */
  until: number;
  asking: Promise<void> | null;
}

/**
 * Holds publishers to the hard limit of a day (UTC). Counts of other nodes and of messages without
 * a publisher are at most a second old, so the limit can be exceeded by what is added within that
 * second.
 */
export class DailyQuota {
  readonly #accounts: AccountReader;
  readonly #clock: Clock;
  readonly #days = new Map<string, Day>();

  constructor(accounts: AccountReader, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Takes the messages from the day's quota and stores them with `store`, or refuses them all. */
  within<Stored>(
    { accountId, limits }: Account,
    count: number,
    store: () => Promise<Stored>,
  ): Promise<Stored> {
    const limit = limits.requestsPerDayHard;
    return limit === null ? store() : this.#withinLimit(accountId, limit, count, store);
  }

  async #withinLimit<Stored>(
    accountId: string,
    limit: number,
    count: number,
    store: () => Promise<Stored>,
  ): Promise<Stored> {
    const day = this.#dayOf(accountId);
    if (this.#isOld(day)) await (day.asking ??= this.#ask(accountId, day));
    const left = limit - day.stored - day.since - day.underWay;
    if (count > left) throw this.#refused(limit, Math.max(0, left));
    day.underWay += count;
    try {
      const stored = await store();
      day.since += count;
      return stored;
    } finally {
      day.underWay -= count;
    }
  }

  #dayOf(accountId: string): Day {
    const known = this.#days.get(accountId);
    if (known !== undefined) return known;
    if (this.#days.size >= ACCOUNTS_MAX) this.#forgetIdle();
    const day: Day = { day: -1, stored: 0, since: 0, underWay: 0, until: 0, asking: null };
    this.#days.set(accountId, day);
    return day;
  }

  #isOld({ day, until }: Day): boolean {
    return day !== dayOf(this.#clock.now()) || until <= this.#clock.monotonic();
  }

  async #ask(accountId: string, day: Day): Promise<void> {
    const today = dayOf(this.#clock.now());
    const until = this.#clock.monotonic() + KEEP_MS;
    const before = day.since;
    try {
      const counts = await this.#accounts.dailyCounts(accountId, today);
      day.stored = counts.find((count) => count.day === today)?.messages ?? 0;
      // Messages accepted during the reading may not be in it.
      day.since -= before;
      day.day = today;
      day.until = until;
    } finally {
      day.asking = null;
    }
  }

  #refused(limit: number, remaining: number): Problem {
    const now = this.#clock.now();
    const resetAt = startOfDay(dayOf(now) + 1);
    return new Problem(
      "daily-limit",
      `quota maxRequestsPerDay exceeded, current limit: ${limit}`,
      Math.ceil((resetAt - now) / 1_000),
      { limit, remaining, resetAtSeconds: resetAt / 1_000 },
    );
  }

  #forgetIdle(): void {
    for (const [accountId, { underWay, asking }] of this.#days) {
      if (underWay === 0 && asking === null) this.#days.delete(accountId);
    }
  }
}

const KEEP_MS = 1_000;
const ACCOUNTS_MAX = 10_000;
