import type { PublishAnswer, PublishItem } from "../core/act.ts";
import type { Account } from "../core/model/account.ts";
import type { Message, MessageKey } from "../core/model/message.ts";
import type { PublishOptions } from "../core/model/publish-options.ts";
import { Problem } from "../core/problem.ts";
import { composeMessage, FIRST_FENCE, newMessage } from "../core/rules/compose-message.ts";
import { deduplicationOf } from "../core/rules/deduplication.ts";
import type { Slot } from "../store/hand-over.ts";
import type { StoredMessage } from "../store/reader.ts";
import type { Context } from "./context.ts";
import { requireCallbacks, requireDestination } from "./destinations.ts";

export interface PublishRequest {
  readonly account: Account;
  /** As the publisher wrote it. */
  readonly destination: string;
  readonly options: PublishOptions;
  readonly body: Uint8Array;
  readonly callerIp: string;
}

/**
 * Stores a message and answers once that is durable. One that is due at once, and that nothing
 * holds back, is stored already leased to this node when it has a free slot, and sent from memory.
 */
export async function publish(context: Context, request: PublishRequest): Promise<PublishAnswer> {
  const { clock, ids, store, bell } = context;
  const { account, options, body } = request;
  requireRoom(context);
  const { host } = requireDestination(context, request.destination);
  requireCallbacks(context, options);
  const at = clock.now();
  const message = composeMessage({
    account,
    options,
    messageId: ids.sortable("msg_", at),
    url: request.destination,
    body,
    callerIp: request.callerIp,
    at,
  });
  if (message.flowControl !== undefined) await context.flowLimits.set(message);
  const slot = reserveSlot(context, account, message, host, body.byteLength);
  const item: PublishItem = {
    message: newMessage(message, host, body, slot === null ? null : slot.nodeId),
    deduplication: deduplicationOf(options, message.url, body, at),
  };
  let answer: PublishAnswer;
  try {
    answer = (await store.act({ rule: "publish", at, items: [item] }))[0]!;
  } catch (error) {
    // If it was stored after all, this node will find a lease that it does not know, and hand it back.
    slot?.release();
    throw error;
  }
  if (slot === null) {
    if (!answer.deduplicated) bell.ring();
  } else if (answer.deduplicated) slot.release();
  else {
    const { accountId, messageId } = message;
    const lease = { accountId, messageId, fence: FIRST_FENCE };
    slot.start({ lease, message, body, host, attempts: 0 });
  }
  return answer;
}

/** Publishing is what fills the disk, so it is what stops while there is room for the rest. */
export function requireRoom(context: Context): void {
  if (context.isDiskLow()) {
    throw new Problem("disk-low", "little disk space is left, so that nothing is accepted", 30);
  }
}

export async function getMessage(context: Context, key: MessageKey): Promise<StoredMessage> {
  const stored = await context.store.reader.message(key);
  if (stored === null || stored.lastEntry?.state === "CANCELED") throw notFound(key);
  return stored;
}

export interface Cancelled {
  readonly cancelled: number;
  /** Its attempt under way may still end; none follows. */
  readonly inFlight: number;
}

/** Cancels one message. One that has ended, or never was, is not found. */
export async function cancelMessage(context: Context, key: MessageKey): Promise<Cancelled> {
  const { store, clock } = context;
  const answer = await store.act({ rule: "cancel", at: clock.now(), keys: [key] });
  if (answer.cancelled > 0) return answer;
  const stored = await store.reader.message(key);
  // Still under way and cancelled before: true already, and not counted again.
  if (stored?.state?.cancelRequested === true) return { cancelled: 0, inFlight: 1 };
  throw notFound(key);
}

function reserveSlot(
  { handOver }: Context,
  { limits }: Account,
  message: Message,
  host: string,
  bytes: number,
): Slot | null {
  const isFree =
    message.notBefore <= message.createdAt &&
    message.queueName === undefined &&
    message.flowControl === undefined &&
    limits.parallelismMax === null;
  return isFree ? handOver.reserve(host, bytes) : null;
}

function notFound({ messageId }: MessageKey): Problem {
  return new Problem("not-found", `message ${messageId} not found`);
}
