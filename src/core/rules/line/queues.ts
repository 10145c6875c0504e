import type { Account } from "../../model/account/account.ts";
import { QUEUE_DEFAULT, queueLine } from "../../model/line/line.ts";
import type { LinePatch, UsedLine } from "../../model/line/line-setting.ts";
import { requireWithin } from "../../policy/limits/limits.ts";

/**
 * The use of a queue by a message: only the first message changes anything, it creates the queue.
 */
export function queueUsed(accountId: string, name: string): UsedLine {
  return { accountId, line: queueLine(name), limits: QUEUE_DEFAULT };
}

/** The changes of an upsert, refused when the account's plan does not allow them. */
export function queuePatch(
  { limits }: Account,
  { parallelism, paused }: { readonly parallelism: number; readonly paused: boolean },
): LinePatch {
  requireWithin("maxParallelism", parallelism, limits.queueParallelismMax ?? Infinity);
  return { parallelism, paused };
}

/** Refuses a queue beyond the account's limit. */
export function requireQueueWithin(account: Account, count: number): void {
  requireWithin("maxQueues", count, account.limits.queuesMax);
}
