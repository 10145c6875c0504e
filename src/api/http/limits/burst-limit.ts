import type { Account } from "../../../core/model/account/account.ts";
import { Problem } from "../../../core/problem.ts";
import type { Clock } from "../../../platform/clock.ts";

/**
 * Limits the requests of an account in a second. They are counted in memory, on this node alone:
 * with several nodes an account can make as many on each of them.
 */
export class BurstLimit {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #second = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request, or refuses it when the account has reached its limit in this second. */
  count({ accountId, limits }: Account): void {
    const limit = limits.requestsPerSecondMax;
    if (limit === null) return;
    const second = Math.floor(this.#clock.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#counts.clear();
    }
    const count = (this.#counts.get(accountId) ?? 0) + 1;
    if (count > limit) throw refused(limit, second + 1);
    this.#counts.set(accountId, count);
  }
}

function refused(limit: number, resetAtSeconds: number): Problem {
  const sentence = `quota maxRequestsPerSecond exceeded, current limit: ${limit}`;
  return new Problem("burst-limit", sentence, 1, { limit, remaining: 0, resetAtSeconds });
}
