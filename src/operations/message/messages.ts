import type { PublishAnswer } from "../../core/rules/message/publish.ts";
import type { Wait } from "../../core/model/line/waiting.ts";
import type { Account } from "../../core/model/account/account.ts";
import { deadLetterId } from "../../core/model/message/dead-letter.ts";
import type { LogState } from "../../core/model/message/log-entry.ts";
import type { Message, MessageKey } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { notFound } from "../../core/not-found.ts";
import { Problem } from "../../core/problem.ts";
import {
  type Composed,
  compose,
  requireStorable,
  recipientsOf,
  type Target,
} from "../../core/rules/message/compose.ts";
import {
  BODY_PART_BYTES,
  type StoredMessage,
  type LoggedMessage,
  LIVE_ROWS_READ_MAX,
} from "../../store/reader/messages.ts";
import type { Failure } from "../../wire/message/message.ts";
import { STREAM_BYTES } from "./body-parts.ts";
import type { Context } from "../context.ts";
import { waitingPlaces, waitOf } from "../line/waiting.ts";
import { requireCallbacks } from "./destinations.ts";
import { send } from "./send.ts";
import type { LogFilter, LiveFilter } from "../../core/model/message/log-filter.ts";
import type { ListQuery } from "../../wire/filters/filters.ts";
import { type Listed, listDated, openCursor, sealCursor } from "../pages.ts";
import { PAGE_BYTES_MAX, ROWS_READ_MAX } from "../../store/reader/page.ts";

export interface PublishRequest {
  readonly account: Account;
  readonly target: Target;
  readonly queueName?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly options: PublishOptions;
  readonly body: Uint8Array;
  readonly callerIp: string;
}

/** Stores a message for each recipient, all of them or none, and answers in their order. */
export async function publish(
  context: Context,
  request: PublishRequest,
): Promise<readonly PublishAnswer[]> {
  requireRoom(context);
  requireStorable(request.target.endpoints.length, request.body, context.storedBytesMax);
  const { account, queueName } = request;
  if (queueName !== undefined && !context.knownQueues.has(account.accountId, queueName)) {
    await context.knownQueues.admit(account, queueName);
  }
  const at = context.clock.now();
  const messages = composeRequest(context, request, at);
  return send(context, request.account, messages, at);
}

/** The messages of a request, refused when they may not be sent. */
export function composeRequest(context: Context, request: PublishRequest, at: Instant): Composed[] {
  const { target, queueName, scheduleId, options } = request;
  requireCallbacks(context, options);
  return compose({
    ...request,
    at,
    origin: { queueName, urlGroup: target.urlGroup, scheduleId },
    recipients: recipientsOf(target, () => context.ids.sortable("msg_", at)),
  });
}

/**
 * Publishing fills the disk, so it stops while space is left for the rest. Where a failover must
 * lose nothing, it also stops without a standby.
 */
export function requireRoom(context: Context): void {
  if (context.isDiskLow()) {
    throw new Problem("disk-low", "little disk space is left, so that nothing is accepted", 30);
  }
  if (context.isStandbyMissing()) {
    throw new Problem(
      "overloaded",
      "PostgreSQL names no synchronous standby, so that a failover could lose the message; nothing is accepted",
      5,
    );
  }
}

/** A message, and the newest state in its log. */
export interface MessageWithState {
  readonly message: Message;
  readonly body: Uint8Array;
  readonly state: LogState;
  readonly failure: Failure | null;
  /** Why it is not being sent, where that was asked for. */
  readonly waiting?: Wait | null;
}

/** With the first part of its body, which may be all of it. */
export async function getMessage(context: Context, key: MessageKey): Promise<MessageWithState> {
  await context.reserve?.(STREAM_BYTES);
  const stored = await context.store.reader.messages.get(key, BODY_PART_BYTES);
  if (stored === null || (stored.state === null && stored.lastEntry === null)) {
    throw messageNotFound(key);
  }
  const { state } = stored;
  const isWaiting = state?.phase === "waiting" && !state.cancelRequested;
  return { ...withState(stored), waiting: isWaiting ? await waitOf(context, state) : null };
}

/** The callbacks of a message, the newest first; they may outlive the message, or it them. */
export async function listCallbacks(
  { store }: Context,
  key: MessageKey,
): Promise<readonly Pick<MessageWithState, "message" | "state">[]> {
  const { messages } = store.reader;
  const found = await messages.callbacks(key, CALLBACKS_MAX);
  if (found.length === 0) {
    const [known] = await messages.settings(key.accountId, [key.messageId]);
    if (!known) throw messageNotFound(key);
  }
  const ids = found.map(({ messageId }) => messageId);
  const states = await messages.lastStates(key.accountId, ids);
  return found.map((message, index) => ({ message, state: states[index] ?? "CREATED" }));
}

/** The log of a message that waits for months may be deleted before the message has ended. */
export function withState(stored: StoredMessage): MessageWithState {
  const { message, body, state, lastEntry } = stored;
  const phase = state?.phase === "active" ? "ACTIVE" : "CREATED";
  return { message, body, state: lastEntry?.state ?? phase, failure: failureOf(stored) };
}

function failureOf({ lastEntry, deadLetter }: StoredMessage): Failure | null {
  if (lastEntry?.state !== "FAILED") return null;
  const { error, status = 0 } = lastEntry;
  return { error, status, dlqId: deadLetter ? deadLetterId(deadLetter) : undefined };
}

export function messageNotFound({ messageId }: MessageKey): Problem {
  return notFound("message", messageId, "messageId");
}

const CALLBACKS_MAX = 100;

export async function listLog(
  context: Context,
  { accountId, limits }: Account,
  query: ListQuery<LogFilter>,
): Promise<Listed<LoggedMessage>> {
  const { eventBytesMax: bodyBytesMax } = limits;
  return listDated(context, "logs", query, (filter, page) =>
    context.store.reader.messages.log(accountId, filter, { ...page, bodyBytesMax }),
  );
}

/** Messages that have not ended and were not canceled, the oldest first. */
export async function listLiveMessages(
  context: Context,
  accountId: string,
  { filter, count, cursor }: Omit<ListQuery<LiveFilter>, "order">,
): Promise<Listed<MessageWithState>> {
  const { reader } = context.store;
  const after = openCursor(context, "messages", cursor) ?? "";
  const { ids, next } = await findLive(context, accountId, filter, { after, count });
  const items: MessageWithState[] = [];
  let bytesLeft = PAGE_BYTES_MAX;
  let last = after;
  for (const messageId of ids) {
    const key = { accountId, messageId };
    let stored = await reader.messages.get(key, bytesLeft + 1);
    if ((stored?.body.byteLength ?? 0) > bytesLeft) {
      if (items.length > 0) return { items, cursor: sealCursor(context, "messages", last) };
      // The first message is shown however large it is.
      await context.reserve?.(stored?.state?.bytes ?? 0);
      stored = await reader.messages.get(key);
    }
    last = messageId;
    // It may have ended since it was found.
    if (stored === null || stored.state === null) continue;
    items.push(withState(stored));
    bytesLeft = Math.max(0, bytesLeft - stored.body.byteLength);
  }
  return { items, cursor: sealCursor(context, "messages", next) };
}

/** The ids of a page, out of a bounded number of rows. */
async function findLive(
  context: Context,
  accountId: string,
  filter: LiveFilter,
  { after, count }: { readonly after: string; readonly count: number },
): Promise<{ ids: readonly string[]; next: string | null }> {
  const { messages } = context.store.reader;
  const upTo = await messages.lastLive(accountId);
  const waiting = await waitingPlaces(context, accountId, filter.waitingFor);
  const ids: string[] = [];
  let next: string | null = upTo === null ? null : after;
  for (let round = 0; round < ROUNDS_MAX && next !== null && ids.length < count; round++) {
    const range = { after: next, upTo: upTo!, count: count - ids.length, waiting };
    const page = await messages.live(accountId, filter, range);
    ids.push(...page.items);
    next = page.next;
  }
  return { ids, next };
}

const ROUNDS_MAX = ROWS_READ_MAX / LIVE_ROWS_READ_MAX;
