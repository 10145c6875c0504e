import type { Account } from "../../core/model/account/account.ts";
import { queueLine } from "../../core/model/line/line.ts";
import { requireQueueWithin } from "../../core/rules/line/lines.ts";
import type { Clock } from "../../platform/clock.ts";
import type { LineReader } from "../../store/reader/lines.ts";
import { BatchLoader } from "../batch-loader.ts";
import { ExpiringCache } from "../expiring-cache.ts";

/**
 * Caches which queues exist, so that publishing to them needs no query. A queue is created by its
 * first message, unless the account has its maximum.
 */
export class KnownQueues {
  readonly #lines: LineReader;
  readonly #known: ExpiringCache<true>;
  readonly #asked: BatchLoader<true | null>;

  constructor(lines: LineReader, clock: Clock) {
    this.#lines = lines;
    this.#asked = new BatchLoader((keys) => this.#exist(keys), clock);
    this.#known = new ExpiringCache({
      clock,
      keepMs: KEEP_MS,
      countMax: KEPT_MAX,
      load: (key) => this.#asked.ask(key),
    });
  }

  has(accountId: string, name: string): boolean {
    return this.#known.known(keyOf(accountId, name)) !== null;
  }

  /** Refuses one beyond the limit, with `others` more new queues. Returns whether it is new. */
  async admit(account: Account, name: string, others = 0): Promise<boolean> {
    const { accountId } = account;
    if ((await this.#known.get(keyOf(accountId, name))) === true) return false;
    requireQueueWithin(account, (await this.#lines.countQueues(accountId)) + others + 1);
    return true;
  }

  /** The queue was removed: the next publish creates it again. */
  forget(accountId: string, name: string): void {
    this.#known.forget(keyOf(accountId, name));
  }

  async #exist(keys: readonly string[]): Promise<(true | null)[]> {
    const asked = keys.map((key) => {
      const [accountId = "", name = ""] = key.split("/");
      return { accountId, line: queueLine(name) };
    });
    const areSet = await this.#lines.areSet(asked);
    return areSet.map((isSet) => (isSet ? true : null));
  }
}

/** Neither holds a slash. */
const keyOf = (accountId: string, name: string): string => `${accountId}/${name}`;

/** For this long a node may not know of a queue's removal, and does not count it again. */
const KEEP_MS = 600_000;
const KEPT_MAX = 20_000;
