import { type Chore, waitMsUntil } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";

const PAGE_COUNT = 100;
/** A step may have begun to wait meanwhile, here or on another node. */
const POLL_MS = 500;

/** The event may arrive at the same moment: the act that removes the waiter decides. */
export class Deadlines implements Chore {
  readonly failure = "waits could not be timed out";
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Ends a page of due waits. Returns how long to wait until the next. */
  async runOnce(): Promise<number> {
    const { store, ids, bell } = this.#options;
    const { clock } = this.#options;
    const { now: at, aheadMs } = clock.time();
    const dueAt = at + aheadMs;
    const due = await store.reader.waiters.due(dueAt, PAGE_COUNT);
    if (due.length === 0)
      return waitMsUntil(await store.reader.waiters.nextAt(), clock.due(), POLL_MS);
    await Promise.all(
      due.map(({ accountId, runId, createdAt, eventId, stepId }) => {
        const key = { accountId, runId, createdAt, eventId, stepId };
        const messageId = ids.sortable("msg_", at);
        return store.act({ rule: "time-out-wait", at, dueAt, key, messageId });
      }),
    );
    bell.ring();
    return 0;
  }
}
