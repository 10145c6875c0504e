import type { Account } from "../../core/model/account/account.ts";
import type { MessageKey } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import { requireSpread, type Spread } from "../../core/policy/retry/spread.ts";
import { Problem } from "../../core/problem.ts";
import type { LiveFilter } from "../../core/model/message/log-filter.ts";
import type { BulkQuery } from "../../wire/filters/filters.ts";
import { type BulkCount, countLive } from "../bulk-pages.ts";
import type { Context } from "../context.ts";
import { waitingPlaces } from "../line/waiting.ts";
import { openCursor, sealCursor } from "../pages.ts";
import { messageNotFound } from "./messages.ts";

/** Makes a waiting message due. One that has ended, or never existed, is not found. */
export async function sendNow(
  { store, clock, bell }: Context,
  key: MessageKey,
): Promise<"due" | "active"> {
  const answer = await store.act({ rule: "send-now", at: clock.now(), key });
  if (answer === "ended") throw messageNotFound(key);
  if (answer === "asleep") {
    throw new Problem("invalid-request", "messageId: its workflow run sleeps; it wakes by itself");
  }
  if (answer === "due") bell.ring();
  return answer;
}

export interface SentNow {
  /** How many waited for a time, and are due. */
  readonly retried: number;
  readonly cursor: string | undefined;
}

/**
 * Makes the matching messages due that wait for a time, or `count` of them, oldest first and in
 * pages. Those that are due, under way or ended stay as they are. Messages published meanwhile have a
 * greater id than the last one at the start, and are not reached. Long work ends with a cursor; the
 * call that continues spreads the rest from its own start.
 */
export async function sendManyNow(
  context: Context,
  { accountId, limits }: Account,
  query: BulkQuery<LiveFilter>,
): Promise<SentNow> {
  const { clock, store, bell } = context;
  const at = clock.now();
  const spread = requireSpread(query.overMs, {}, at, limits.delayMsMax);
  const stopAt = clock.monotonic() + SEND_MS_MAX;
  const upTo = await store.reader.messages.lastLive(accountId);
  let retried = 0;
  let after: string | null = openCursor(context, "messages", query.cursor) ?? "";
  while (after !== null && retried < (query.count ?? Infinity)) {
    const left = (query.count ?? Infinity) - retried;
    const page: IdPage = await readWaiting(context, accountId, query, { after, upTo, left });
    retried += await makeDue(store, accountId, page.ids, spread, at);
    after = page.next;
    if (clock.monotonic() >= stopAt) break;
  }
  if (retried > 0) bell.ring();
  return { retried, cursor: sealCursor(context, "messages", after) };
}

/** How many of them there are. It is refused as the action would be. */
export async function countWaiting(
  context: Context,
  { accountId, limits }: Account,
  query: BulkQuery<LiveFilter>,
): Promise<BulkCount> {
  requireSpread(query.overMs, {}, context.clock.now(), limits.delayMsMax);
  const start = openCursor(context, "messages", query.cursor) ?? "";
  const target = { action: "send-now", at: dueNow(context) } as const;
  return countLive(context, accountId, query, target, start);
}

interface IdPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

interface IdRange {
  readonly after: string;
  /** The last id when the call began; null when there was none. */
  readonly upTo: string | null;
  readonly left: number;
}

async function readWaiting(
  context: Context,
  accountId: string,
  { filter }: BulkQuery<LiveFilter>,
  { after, upTo, left }: IdRange,
): Promise<IdPage> {
  const { messageIds } = filter;
  if (messageIds !== undefined) return { ids: [...new Set(messageIds)], next: null };
  if (upTo === null) return { ids: [], next: null };
  const { messages } = context.store.reader;
  const target = { action: "send-now", at: dueNow(context) } as const;
  const waiting = await waitingPlaces(context, accountId, filter.waitingFor);
  const range = { after, upTo, count: Math.min(left, PAGE_COUNT), target, waiting };
  const { items, next } = await messages.live(accountId, filter, range);
  return { ids: items, next };
}

async function makeDue(
  store: Context["store"],
  accountId: string,
  ids: readonly string[],
  spread: Spread,
  at: Instant,
): Promise<number> {
  let count = 0;
  for (let start = 0; start < ids.length; start += PAGE_COUNT) {
    const messages = ids.slice(start, start + PAGE_COUNT).map((messageId) => ({
      key: { accountId, messageId },
      dueAt: spread.nextAt(),
    }));
    count += await store.act({ rule: "send-many-now", at, messages });
  }
  return count;
}

/** What waits is measured in due time. */
function dueNow({ store }: Context): Instant {
  const { now, aheadMs } = store.clock.time();
  return now + aheadMs;
}

/** Messages of one act, so that it does not hold up others. */
const PAGE_COUNT = 500;
/** Longer work returns a cursor. */
const SEND_MS_MAX = 20_000;
