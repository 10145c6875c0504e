import type { Account } from "../../core/model/account/account.ts";
import {
  lineName,
  QUEUE_DEFAULT,
  QUEUE_PREFIX,
  queueLine,
  type LineKey,
  type LineReport,
} from "../../core/model/line/line.ts";
import { notFound } from "../../core/not-found.ts";
import type { Problem } from "../../core/problem.ts";
import { queuePatch, requireQueueWithin } from "../../core/rules/line/lines.ts";
import type { QueueRequest, ShownQueue } from "../../wire/line/queue.ts";
import { changeEach } from "../bulk-pages.ts";
import type { Context } from "../context.ts";

/** Creates a queue, or changes it; an existing queue can be changed whatever the limit. */
export async function putQueue(
  context: Context,
  account: Account,
  request: QueueRequest,
): Promise<void> {
  const answer = await context.store.act({
    rule: "set-line",
    at: context.clock.now(),
    ...keyOf(account.accountId, request.queueName),
    patch: queuePatch(account, request),
    ifMissing: "add",
    queuesMax: account.limits.queuesMax,
  });
  if (answer === "full") requireQueueWithin(account, Infinity);
  context.bell.ring();
}

export async function getQueue(
  context: Context,
  accountId: string,
  name: string,
): Promise<ShownQueue> {
  const { store } = context;
  const report = await store.reader.lines.report(keyOf(accountId, name), store.clock.due());
  if (report === null) throw queueNotFound(name);
  return shown(report);
}

/** All queues by name; their number is a limit of the account. */
export async function listQueues({ store }: Context, accountId: string): Promise<ShownQueue[]> {
  const { reader, clock } = store;
  const found = await reader.lines.list(accountId, QUEUE_PREFIX, "", LISTED_MAX, clock.due());
  return found.map(shown);
}

/** A paused queue accepts messages and starts none of them, retries included. */
export async function pauseQueue(
  context: Context,
  accountId: string,
  name: string,
  paused: boolean,
): Promise<void> {
  const answer = await context.store.act({
    rule: "set-line",
    at: context.clock.now(),
    ...keyOf(accountId, name),
    patch: { paused },
    ifMissing: "refuse",
    queuesMax: null,
  });
  if (answer === "missing") throw queueNotFound(name);
  if (!paused) context.bell.ring();
}

/**
 * Removes a queue and cancels its messages. A later publish creates the queue again; earlier
 * messages are found because the search comes after the removal.
 */
export async function removeQueue(
  context: Context,
  accountId: string,
  name: string,
): Promise<void> {
  const { store, clock } = context;
  const key = keyOf(accountId, name);
  await store.act({ rule: "unset-line", at: clock.now(), ...key });
  context.knownQueues.forget(accountId, name);
  const upTo = await store.reader.lines.lastPosition(key);
  await changeEach(
    null,
    PAGE_COUNT,
    async ({ count }) => {
      // Those of the page before are no longer found.
      const items = await store.reader.lines.queued(key, upTo, count);
      return { items, next: items.length === 0 ? null : "" };
    },
    async (keys) => {
      if (keys.length > 0) await store.act({ rule: "cancel", at: clock.now(), keys });
      return keys.length;
    },
  );
  context.bell.ring();
}

function shown({ setting, status }: LineReport): ShownQueue {
  return {
    createdAt: setting.createdAt,
    updatedAt: setting.updatedAt,
    name: lineName(setting.line),
    parallelism: setting.limits.parallelism ?? QUEUE_DEFAULT.parallelism ?? 1,
    lag: status.waiting + status.held,
    paused: setting.limits.paused,
  };
}

function keyOf(accountId: string, name: string): LineKey {
  return { accountId, line: queueLine(name) };
}

function queueNotFound(name: string): Problem {
  return notFound("queue", name, "queueName");
}

const PAGE_COUNT = 500;
/** More than any plan allows. */
const LISTED_MAX = 20_000;
