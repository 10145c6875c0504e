import type { Chore } from "./chore.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { Membership } from "./membership.ts";
import { waitMsUntil } from "./wait-until.ts";

const PAGE_COUNT = 100;
/** Somebody may have begun to wait meanwhile, here or on another node. */
const POLL_MS = 500;

/**
 * Ends waits whose deadline has passed. Several nodes may do it at once, and the event may come at
 * the same moment: whoever removes the waiter decides.
 */
export class Deadlines implements Chore {
  readonly #options: EngineOptions;
  readonly #membership: Pick<Membership, "storeNow">;

  constructor(options: EngineOptions, membership: Pick<Membership, "storeNow">) {
    this.#options = options;
    this.#membership = membership;
  }

  /** Ends a page of what is due. Returns how long to wait until the next. */
  async runOnce(): Promise<number> {
    const { store, ids, bell } = this.#options;
    const at = this.#membership.storeNow();
    const due = await store.reader.dueWaiters(at, PAGE_COUNT);
    if (due.length === 0)
      return waitMsUntil(await store.reader.nextDeadlineAt(), this.#membership.storeNow(), POLL_MS);
    await Promise.all(
      due.map(({ accountId, runId, createdAt, eventId, stepId }) => {
        const key = { accountId, runId, createdAt, eventId, stepId };
        const messageId = ids.sortable("msg_", at);
        return store.act({ rule: "time-out-wait", at, key, messageId });
      }),
    );
    bell.ring();
    return 0;
  }

  failed(error: unknown): void {
    this.#options.log.warn("waits could not be timed out", { error });
  }
}
