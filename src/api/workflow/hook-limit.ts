import type { RunKey } from "../../core/model/workflow/run.ts";
import { Problem } from "../../core/problem.ts";
import { addressGroup } from "../../core/policy/egress/address.ts";
import { TokenBuckets } from "../../operations/token-buckets.ts";
import type { Clock } from "../../platform/clock.ts";

/**
 * Limits calls to webhooks. Refused calls count for the caller's address, the others for the run:
 * so a stranger who guesses URLs slows down no caller that knows one.
 */
export class HookLimit {
  readonly #clock: Clock;
  readonly #taken: TokenBuckets;
  readonly #refused: TokenBuckets;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#taken = new TokenBuckets({ clock, burst: TAKEN_BURST, refillMs: TAKEN_REFILL_MS });
    this.#refused = new TokenBuckets({ clock, burst: REFUSED_BURST, refillMs: REFUSED_REFILL_MS });
  }

  /** Counts a call that a run accepts. */
  countTaken({ accountId, runId, createdAt }: RunKey): void {
    const waitMs = this.#taken.take(JSON.stringify([accountId, runId, createdAt]));
    if (waitMs > 0) throw this.#tooMany("this run", TAKEN_BURST, waitMs);
  }

  /** Counts a call that no run accepts. */
  countRefused(address: string): void {
    const waitMs = this.#refused.take(addressGroup(address));
    if (waitMs > 0) throw this.#tooMany("this address", REFUSED_BURST, waitMs);
  }

  #tooMany(whose: string, limit: number, waitMs: number): Problem {
    const resetAtSeconds = Math.ceil((this.#clock.now() + waitMs) / 1_000);
    const sentence = `too many calls to webhooks of ${whose}; try again later`;
    const rate = { limit, remaining: 0, resetAtSeconds };
    return new Problem("burst-limit", sentence, Math.ceil(waitMs / 1_000), rate);
  }
}

const TAKEN_BURST = 100;
const TAKEN_REFILL_MS = 100;
const REFUSED_BURST = 100;
const REFUSED_REFILL_MS = 100;
