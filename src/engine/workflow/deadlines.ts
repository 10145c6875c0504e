import { type Chore, pollMsOf, waitMsUntil } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";

const PAGE_COUNT = 100;

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
    const pollMs = pollMsOf(this.#options);
    const { waitEndsAt } = await store.upcoming(pollMs);
    if (waitEndsAt === null || waitEndsAt > dueAt) {
      return waitMsUntil(waitEndsAt, clock.due(), pollMs);
    }
    const due = await store.reader.waiters.due(dueAt, PAGE_COUNT);
    if (due.length === 0) {
      return waitMsUntil((await store.upcoming(0)).waitEndsAt, clock.due(), pollMs);
    }
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
