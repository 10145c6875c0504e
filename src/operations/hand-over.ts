import type { MessageKey } from "../core/model/message/message.ts";
import { FIRST_FENCE } from "../core/rules/message/compose-message.ts";
import type { Slot } from "../store/hand-over.ts";
import type { LeasedMessage } from "../store/store.ts";
import type { Context } from "./context.ts";

/** What became of a message for which a slot was reserved, or would have been. */
export interface Outcome {
  /** It is stored and waits in its line. */
  readonly waits: boolean;
  /** It was stored already leased: the message as it is sent, or where the store has it. */
  readonly leased: LeasedMessage | UnreadMessage | null;
}

/** A leased message whose body is not at hand. */
export interface UnreadMessage extends MessageKey {
  readonly host: string;
}

/** Stores with `store`. When that fails, the slots are free again and nothing is sent. */
export async function storeReserved<Answer>(
  slots: readonly (Slot | null)[],
  store: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await store();
  } catch (error) {
    // If it was stored after all, this node finds leases that it does not know, and hands them back.
    for (const slot of slots) slot?.release();
    throw error;
  }
}

/** Sends what was stored already leased, each in its slot; the other slots are free again. */
export function handOver(
  context: Context,
  slots: readonly (Slot | null)[],
  outcomes: readonly Outcome[],
): void {
  const unread: { readonly slot: Slot; readonly message: UnreadMessage }[] = [];
  for (const [index, slot] of slots.entries()) {
    const leased = outcomes[index]?.leased ?? null;
    if (slot === null) continue;
    if (leased === null) slot.release();
    else if ("lease" in leased) slot.start(leased);
    else unread.push({ slot, message: leased });
  }
  if (outcomes.some(({ waits }) => waits)) context.bell.ring();
  if (unread.length > 0) void startFromStore(context, unread);
}

async function startFromStore(
  { store }: Context,
  unread: readonly { readonly slot: Slot; readonly message: UnreadMessage }[],
): Promise<void> {
  const granted = unread.map(({ message: { accountId, messageId, host } }) => {
    return { accountId, messageId, fence: FIRST_FENCE, host, attempts: 0 };
  });
  // When they cannot be read now, the leases are found without an owner, and are handed back.
  const found = await store.leased(granted).catch(() => []);
  for (const { slot, message } of unread) {
    const one = found.find(({ lease }) => lease.messageId === message.messageId);
    if (one === undefined) slot.release();
    else slot.start(one);
  }
}
