import type { PublishAnswer } from "../../core/rules/message/publish.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { Instant } from "../../core/model/time.ts";
import { type Composed, publishItem } from "../../core/rules/message/compose.ts";
import { FIRST_FENCE } from "../../core/rules/message/compose-message.ts";
import { isDueAtOnce, mayLeaseAtOnce } from "../../core/rules/message/immediate-lease.ts";
import type { Slot } from "../../store/hand-over.ts";
import type { LeasedMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { handOver, type Outcome, storeReserved } from "../hand-over.ts";

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
  const answers = await storeReserved(slots, () =>
    context.store.act({ rule: "publish", at, items }),
  );
  const outcomes = answers.map(({ deduplicated, waits }, index): Outcome => {
    if (deduplicated) return { waits: false, leased: null };
    const isWaiting = waits === true || slots[index] === null;
    return { waits: isWaiting, leased: isWaiting ? null : leasedOf(messages[index]!) };
  });
  handOver(context, slots, outcomes);
  return answers;
}

function leasedOf({ message, body, host }: Composed): LeasedMessage {
  const { accountId, messageId } = message;
  const lease = { accountId, messageId, fence: FIRST_FENCE };
  return { lease, message, body, host, attempts: 0 };
}

function reserveSlot(
  context: Context,
  account: Account,
  { message, host, body }: Composed,
): Slot | null {
  if (!mayLeaseAtOnce(account) || !isDueAtOnce(message)) return null;
  const isInLine = message.queueName !== undefined || message.settings.flowControl !== undefined;
  const { accountId } = message;
  return context.handOver.reserve({ accountId, host, bytes: body.byteLength, isInLine });
}
