import type { PublishAnswer } from "../../core/act.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { Instant } from "../../core/model/message/message.ts";
import { type Composed, publishItem } from "../../core/rules/message/compose.ts";
import { FIRST_FENCE } from "../../core/rules/message/compose-message.ts";
import type { Slot } from "../../store/hand-over.ts";
import type { Context } from "../context.ts";

/**
 * Stores messages in one act and answers once they are durable, all of them or none; none when the
 * account's day has no room for all. Messages that are due at once, and that no queue and no key
 * holds back, are stored already leased to this node while it has free slots, and sent from memory.
 */
export function send(
  context: Context,
  account: Account,
  messages: readonly Composed[],
  at: Instant,
): Promise<readonly PublishAnswer[]> {
  return context.dailyQuota.within(account, messages.length, () =>
    store(context, account, messages, at),
  );
}

async function store(
  context: Context,
  account: Account,
  messages: readonly Composed[],
  at: Instant,
): Promise<readonly PublishAnswer[]> {
  const slots = messages.map((composed) => reserveSlot(context, account, composed));
  const items = messages.map((composed, index) => publishItem(composed, slots[index]?.nodeId));
  let answers: readonly PublishAnswer[];
  try {
    answers = await context.store.act({ rule: "publish", at, items });
  } catch (error) {
    // If the act was stored after all, this node finds leases that it does not know, and hands them
    // back.
    for (const slot of slots) slot?.release();
    throw error;
  }
  let isWaiting = false;
  for (const [index, { deduplicated, waits }] of answers.entries()) {
    const slot = slots[index]!;
    isWaiting ||= waits === true || (slot === null && !deduplicated);
    if (slot === null) continue;
    if (deduplicated || waits === true) slot.release();
    else start(slot, messages[index]!);
  }
  if (isWaiting) context.bell.ring();
  return answers;
}

function start(slot: Slot, { message, body, host }: Composed): void {
  const { accountId, messageId } = message;
  slot.start({
    lease: { accountId, messageId, fence: FIRST_FENCE },
    message,
    body,
    host,
    attempts: 0,
  });
}

function reserveSlot(
  { handOver }: Context,
  { limits, isHalted }: Account,
  { message, host, body }: Composed,
): Slot | null {
  const isFree =
    message.notBefore <= message.createdAt && limits.parallelismMax === null && !isHalted;
  if (!isFree) return null;
  const isInLine = message.queueName !== undefined || message.flowControl !== undefined;
  return handOver.reserve({ accountId: message.accountId, host, bytes: body.byteLength, isInLine });
}
