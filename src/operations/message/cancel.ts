import type { CancelAnswer } from "../../core/rules/message/cancel.ts";
import type { MessageKey } from "../../core/model/message/message.ts";
import type { LiveFilter } from "../../core/model/message/log-filter.ts";
import type { BulkQuery } from "../../wire/filters/filters.ts";
import { changeEach } from "../bulk-pages.ts";
import type { Context } from "../context.ts";
import { waitingPlaces } from "../line/waiting.ts";
import { messageNotFound } from "./messages.ts";

/** Cancels one message. One that has ended, or never existed, is not found. */
export async function cancelMessage(context: Context, key: MessageKey): Promise<CancelAnswer> {
  const { store, clock } = context;
  const answer = await store.act({ rule: "cancel", at: clock.now(), keys: [key] });
  if (answer.canceled > 0) return answer;
  const stored = await store.reader.messages.get(key);
  // In progress and canceled before: not counted again.
  if (stored?.state?.cancelRequested === true) return { canceled: 0, inFlight: 1 };
  throw messageNotFound(key);
}

/**
 * Cancels the matching messages, or `count` of them, oldest first and in pages. Messages published
 * meanwhile have a greater id than the last one at the start, and are not reached.
 */
export async function cancelMessages(
  context: Context,
  accountId: string,
  query: BulkQuery<LiveFilter>,
): Promise<CancelAnswer> {
  const { messageIds } = query.filter;
  return messageIds === undefined
    ? cancelMatching(context, accountId, query)
    : cancelNamed(context, accountId, [...new Set(messageIds)]);
}

async function cancelNamed(
  context: Context,
  accountId: string,
  messageIds: readonly string[],
): Promise<CancelAnswer> {
  let sum = NOTHING;
  for (let start = 0; start < messageIds.length; start += PAGE_COUNT) {
    const page = messageIds.slice(start, start + PAGE_COUNT);
    sum = added(sum, await cancelPage(context, accountId, page));
  }
  return sum;
}

async function cancelMatching(
  context: Context,
  accountId: string,
  { filter, count }: BulkQuery<LiveFilter>,
): Promise<CancelAnswer> {
  const { reader } = context.store;
  const upTo = await reader.messages.lastLive(accountId);
  const waiting = await waitingPlaces(context, accountId, filter.waitingFor);
  let sum = NOTHING;
  if (upTo === null) return sum;
  await changeEach(
    count,
    PAGE_COUNT,
    (range) => reader.messages.live(accountId, filter, { ...range, upTo, waiting }),
    async (messageIds) => {
      const answer = await cancelPage(context, accountId, messageIds);
      sum = added(sum, answer);
      return answer.canceled;
    },
  );
  return sum;
}

async function cancelPage(
  { store, clock }: Context,
  accountId: string,
  messageIds: readonly string[],
): Promise<CancelAnswer> {
  if (messageIds.length === 0) return NOTHING;
  const keys = messageIds.map((messageId) => ({ accountId, messageId }));
  return store.act({ rule: "cancel", at: clock.now(), keys });
}

function added(one: CancelAnswer, other: CancelAnswer): CancelAnswer {
  return {
    canceled: one.canceled + other.canceled,
    inFlight: one.inFlight + other.inFlight,
  };
}

const NOTHING: CancelAnswer = { canceled: 0, inFlight: 0 };
/** Messages of one act, so that it does not hold up others. */
const PAGE_COUNT = 500;
