import type { Account } from "../../model/account/account.ts";
import { QUEUE_DEFAULT, queueLine } from "../../model/line/line.ts";
import type { LinePatch, UsedLine } from "../../model/line/line-setting.ts";
import { requireWithin } from "../../policy/limits/limits.ts";

/** What a message that is published onto a queue makes of it: nothing, unless it is the first. */
export function queueUsed(accountId: string, name: string): UsedLine {
  return { accountId, line: queueLine(name), limits: QUEUE_DEFAULT };
}

/** What an upsert makes of a queue, unless it is more than the account's plan allows. */
export function queuePatch(
  { limits }: Account,
  { parallelism, paused }: { readonly parallelism: number; readonly paused: boolean },
): LinePatch {
  requireWithin("maxParallelism", parallelism, limits.queueParallelismMax ?? Infinity);
  return { parallelism, paused };
}

/** Refuses a further queue. */
export function requireQueueWithin(account: Account, count: number): void {
  requireWithin("maxQueues", count, account.limits.queuesMax);
}
