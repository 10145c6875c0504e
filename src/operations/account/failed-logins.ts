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
