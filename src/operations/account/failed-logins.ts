import { Problem } from "../../core/problem.ts";
import { type BucketOptions, TokenBuckets } from "../token-buckets.ts";

/** How often a name or an address may still get its credentials wrong. */
export class FailedLogins {
  readonly #tries: TokenBuckets;

  constructor(options: BucketOptions) {
    this.#tries = new TokenBuckets(options);
  }

  /** Counts a try before it is known how it ends, so that many at once are counted too. */
  spend(key: string): void {
    const waitMs = this.#tries.take(key);
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1_000);
    throw new Problem("too-many-requests", "too many failed sign-ins; try again later", seconds);
  }

  /** The try went well. */
  giveBack(key: string): void {
    this.#tries.giveBack(key);
  }
}
