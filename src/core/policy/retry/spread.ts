import type { Instant } from "../../model/time.ts";
import type { PublishOptions } from "../../model/message/publish-options.ts";
import { Problem } from "../../problem.ts";

/** The longest time over which messages are spread. */
export const SPREAD_MS_MAX = 86_400_000;

/**
 * Spreads messages over a time although their number is not known: each takes the place that the
 * golden ratio names, which lies in one of the widest gaps between those before it. So the first
 * ten, and any ten in a row, are spread as evenly as all of them.
 */
export class Spread {
  readonly #startAt: Instant;
  readonly #overMs: number;
  #index = 0;

  constructor(startAt: Instant, overMs: number) {
    this.#startAt = startAt;
    this.#overMs = overMs;
  }

  /** The settings of the next message; a delay that was asked for comes first. */
  next(given: PublishOptions): PublishOptions {
    if (this.#overMs === 0) return given;
    const { delayMs = 0, notBefore = this.#startAt + delayMs } = given;
    return { ...given, delayMs: undefined, notBefore: notBefore + this.#offsetMs() };
  }

  nextAt(): Instant {
    return this.#startAt + this.#offsetMs();
  }

  #offsetMs(): number {
    const offsetMs = Math.floor(((this.#index * GOLDEN) % 1) * this.#overMs);
    this.#index += 1;
    return offsetMs;
  }
}

/** Refuses a time whose last message would have a longer delay than the account allows. */
export function requireSpread(
  overMs: number,
  { delayMs = 0, notBefore }: Pick<PublishOptions, "delayMs" | "notBefore">,
  now: Instant,
  delayMsMax: number,
): Spread {
  const firstMs = notBefore === undefined ? delayMs : Math.max(0, notBefore - now);
  if (overMs === 0 || overMs + firstMs <= delayMsMax) return new Spread(now, overMs);
  const longest = `${Math.floor(delayMsMax / 1_000)}s`;
  const text = `over: ends after the longest delay that this account may have, ${longest}`;
  throw new Problem("invalid-request", text);
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
