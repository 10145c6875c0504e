import type { Chore } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";
import { pauseAfter } from "./janitor.ts";

type RemoverOptions = Pick<EngineOptions, "store" | "clock" | "log">;

/** Removes what accounts have that are being deleted, a page at a time. */
export class AccountRemover implements Chore {
  readonly failure = "deleting an account failed";
  readonly #options: RemoverOptions;
  #round: AsyncGenerator<number, number> | null = null;

  constructor(options: RemoverOptions) {
    this.#options = options;
  }

  /** One page of a round. Returns how long to wait before the next. */
  async runOnce(): Promise<number> {
    const { clock } = this.#options;
    const round = this.#round ?? removeRound(this.#options);
    // A failed round is not continued; the next one starts from the beginning.
    this.#round = null;
    const startedAt = clock.monotonic();
    const { done, value } = await round.next();
    if (done === true) return value;
    this.#round = round;
    return value === 0 ? LOCKED_MS : pauseAfter(clock.monotonic() - startedAt);
  }
}

/** Yields how many rows each page has removed; returns how long to wait before the next round. */
async function* removeRound({ store, clock, log }: RemoverOptions): AsyncGenerator<number, number> {
  let waitMs = ROUND_MS;
  for (let after = ""; ;) {
    const accounts = await store.reader.accounts.list(after, ACCOUNTS_MAX);
    for (const { accountId, customerId, deletingSince } of accounts) {
      if (deletingSince === undefined) continue;
      const leftMs = (): number => deletingSince + UNDER_WAY_MS - clock.now();
      for (let left = "more"; left !== "nothing";) {
        const request = { accountId, pageMax: PAGE_MAX, isLast: leftMs() <= 0 };
        const page = await store.removeAccount(request);
        ({ left } = page);
        yield page.removed;
        if (left === "account") break;
        if (left === "nothing") log.info("account deleted", { accountId, customerId });
      }
      if (leftMs() > 0) waitMs = Math.min(waitMs, leftMs());
    }
    const last = accounts.at(-1);
    if (last === undefined || accounts.length < ACCOUNTS_MAX) return waitMs;
    after = last.accountId;
  }
}

/**
 * The account itself stays for so long after it was marked. Within this time every node has read the
 * mark, has stored or refused what it had accepted before, and has written what it had counted.
 */
const UNDER_WAY_MS = 90_000;
const ROUND_MS = 60_000;
/** When other transactions have locked all that is left. */
const LOCKED_MS = 100;
const ACCOUNTS_MAX = 200;
const PAGE_MAX = 100;
