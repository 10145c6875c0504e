import type { Account } from "../../core/model/account/account.ts";
import { queueLine } from "../../core/model/line/line.ts";
import { requireQueueWithin } from "../../core/rules/line/queues.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Reader } from "../../store/reader.ts";
import { BatchLoader } from "../batch-loader.ts";
import { ExpiringCache } from "../expiring-cache.ts";

/**
 * Queues that are known to exist, so that publishing onto them need not ask. A queue is made by its
 * first message, unless it is one more than the account may have.
 */
export class KnownQueues {
  readonly #reader: Reader;
  readonly #known: ExpiringCache<true>;
  readonly #asked = new BatchLoader((keys) => this.#exist(keys));

  constructor(reader: Reader, clock: Clock) {
    this.#reader = reader;
    this.#known = new ExpiringCache({
      clock,
      keepMs: KEEP_MS,
      countMax: KEPT_MAX,
      load: (key) => this.#asked.ask(key),
    });
  }

  /** Whether it is known without asking. */
  has(accountId: string, name: string): boolean {
    return this.#known.known(keyOf(accountId, name)) !== null;
  }

  /**
   * Refuses a message that would make a queue too many, where so many more are about to be made
   * with it. Answers whether the queue is a new one.
   */
  async admit(account: Account, name: string, others = 0): Promise<boolean> {
    const { accountId } = account;
    if ((await this.#known.get(keyOf(accountId, name))) === true) return false;
    requireQueueWithin(account, (await this.#reader.countQueues(accountId)) + others + 1);
    return true;
  }

  /** It was removed: whoever publishes onto it makes it anew. */
  forget(accountId: string, name: string): void {
    this.#known.forget(keyOf(accountId, name));
  }

  async #exist(keys: readonly string[]): Promise<(true | null)[]> {
    const asked = keys.map((key) => {
      const [accountId = "", name = ""] = key.split("/");
      return { accountId, line: queueLine(name) };
    });
    const areSet = await this.#reader.areLinesSet(asked);
    return areSet.map((isSet) => (isSet ? true : null));
  }
}

/** Neither holds a slash. */
const keyOf = (accountId: string, name: string): string => `${accountId}/${name}`;

/** So long a node may not know that another one has removed a queue, and does not count it again. */
const KEEP_MS = 600_000;
const KEPT_MAX = 20_000;
