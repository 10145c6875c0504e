import type { Account } from "../../core/model/account/account.ts";
import { decodeFacts } from "../../core/model/message/facts.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { RunEntry } from "../../core/model/workflow/run-entry.ts";
import { FIRST_FENCE } from "../../core/rules/message/compose-message.ts";
import { hostOf } from "../../core/policy/egress/host-of.ts";
import type { Slot } from "../../store/hand-over.ts";
import type { Context } from "../context.ts";

/** The content of a message of a run: an entry of the run, or the body of a call. */
export type Content = Pick<RunEntry, "kind" | "body"> & {
  readonly callBody?: Uint8Array | undefined;
};

/** A message of a run that may be sent at once, and its slot. */
export interface Reserved {
  readonly requested: Message;
  readonly slot: Slot | null;
  readonly content: Content | null;
}

/**
 * Reserves a slot for a message that is due at once. Whether a line holds it back is known with its
 * run: see `handOver`.
 */
export function reserve(
  context: Context,
  account: Account,
  requested: Message,
  content: Content | null = null,
): Reserved {
  const { limits, isHalted } = account;
  const isFree =
    requested.notBefore <= requested.createdAt &&
    requested.flowControl === undefined &&
    limits.parallelismMax === null &&
    !isHalted;
  if (!isFree) return { requested, content, slot: null };
  const { accountId } = requested;
  const load = { accountId, host: hostOf(requested.url), bytes: 0, isInLine: false };
  return { requested, content, slot: context.handOver.reserve(load) };
}

/** Stores with `store`; if that fails, nothing is sent. */
export async function storeReserved<Answer>(
  reserved: readonly Reserved[],
  store: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await store();
  } catch (error) {
    // If the act was stored after all, this node finds leases that it does not know, and hands them
    // back.
    for (const { slot } of reserved) slot?.release();
    throw error;
  }
}

/** The result for a reserved message. */
export interface Outcome {
  readonly messageId: string;
  readonly leased: boolean;
  /** It waits in its line. */
  readonly waits: boolean;
  /** The encoded message, where it is known. */
  readonly facts?: string | undefined;
}

/**
 * Sends the messages that were stored leased; the others wait in their lines, or were not needed.
 */
export function handOver(
  context: Context,
  reserved: readonly Reserved[],
  outcomes: readonly Outcome[],
): void {
  const unread: LeasedSlot[] = [];
  let isWaiting = false;
  for (const [index, { requested, slot, content }] of reserved.entries()) {
    const outcome = outcomes[index];
    isWaiting ||= outcome?.waits === true;
    if (slot === null) continue;
    if (outcome?.leased !== true) slot.release();
    else if (!startFromMemory(context, slot, outcome.facts, content)) {
      unread.push({ slot, requested, messageId: outcome.messageId });
    }
  }
  if (isWaiting) context.bell.ring();
  if (unread.length > 0) void startFromStore(context, unread);
}

interface LeasedSlot {
  readonly slot: Slot;
  readonly requested: Message;
  readonly messageId: string;
}

/** Sends it without a read; false when its content is not known here. */
function startFromMemory(
  { runLists }: Context,
  slot: Slot,
  facts: string | undefined,
  content: Content | null,
): boolean {
  if (facts === undefined || content === null) return false;
  const message = decodeFacts(facts);
  const { accountId, messageId } = message;
  const body =
    content.kind === "call" ? content.callBody : runLists.upTo(message, { messageId, ...content });
  if (!body) return false;
  const lease = { accountId, messageId, fence: FIRST_FENCE };
  slot.start({ lease, message, body, host: hostOf(message.url), attempts: 0 });
  return true;
}

async function startFromStore({ store }: Context, leased: readonly LeasedSlot[]): Promise<void> {
  const granted = leased.map(({ requested: { accountId, url }, messageId }) => {
    return { accountId, messageId, fence: FIRST_FENCE, host: hostOf(url), attempts: 0 };
  });
  // If they cannot be read now, this node hands the leases back later.
  const found = await store.leased(granted).catch(() => []);
  for (const { slot, messageId } of leased) {
    const one = found.find(({ lease }) => lease.messageId === messageId);
    if (one === undefined) slot.release();
    else slot.start(one);
  }
}
