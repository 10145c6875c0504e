import type { PublishAnswer } from "../../core/rules/message/publish.ts";
import type { Account } from "../../core/model/account/account.ts";
import { parseDeadLetterId } from "../../core/model/message/dead-letter.ts";
import type { DeadLetterFilter } from "../../core/model/message/log-filter.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { requireDestination } from "../../core/rules/message/compose.ts";
import { composeMessage, newMessage } from "../../core/rules/message/compose-message.ts";
import { retryOptions } from "../../core/policy/retry/retry-options.ts";
import { requireSpread } from "../../core/policy/retry/spread.ts";
import {
  type DeadLetterGroup,
  type DeadLetterHost,
  GROUPED_MAX,
  type StoredDeadLetter,
} from "../../store/reader/dead-letters.ts";
import { BODY_PART_BYTES } from "../../store/reader/messages.ts";
import type { BulkQuery } from "../../wire/filters/filters.ts";
import { STREAM_BYTES } from "./body-parts.ts";
import type { Context } from "../context.ts";
import { deadLetterNotFound, eachDead, getDead, removeEach, removeLetters } from "../dead-pages.ts";
import { requireCallbacks } from "./destinations.ts";
import { requireRoom } from "./messages.ts";

/** Of runs, or of other messages, by status and cause. */
export async function listDeadLetterGroups(
  { store }: Context,
  accountId: string,
  ofRuns: boolean,
): Promise<readonly DeadLetterGroup[]> {
  const groups = await store.reader.deadLetters.groups(accountId, GROUPED_MAX);
  return groups.filter(({ isOfRun }) => isOfRun === ofRuns);
}

/** The same by the host of the destination. */
export async function listDeadLetterHosts(
  { store }: Context,
  accountId: string,
  ofRuns: boolean,
): Promise<readonly DeadLetterHost[]> {
  const hosts = await store.reader.deadLetters.hosts(accountId, GROUPED_MAX);
  return hosts.filter(({ isOfRun }) => isOfRun === ofRuns);
}

/** With the first part of its message's body, which may be all of it. */
export async function showDeadLetter(
  context: Context,
  accountId: string,
  id: string,
): Promise<StoredDeadLetter> {
  await context.reserve?.(STREAM_BYTES);
  return getDead(context, "deadLetters", accountId, id, BODY_PART_BYTES);
}

export async function removeDeadLetter(
  context: Context,
  accountId: string,
  id: string,
): Promise<void> {
  const key = parseDeadLetterId(accountId, id);
  if (key === null || (await removeLetters(context, [key])) === 0) throw deadLetterNotFound(id);
}

/** Removes all matching dead letters, or `count` of them. Unknown ids are skipped. */
export async function removeDeadLetters(
  context: Context,
  accountId: string,
  query: BulkQuery<DeadLetterFilter>,
): ReturnType<typeof removeEach> {
  if (query.filter.deadLetterIds !== undefined) {
    const keys = query.filter.deadLetterIds.map((id) => parseDeadLetterId(accountId, id));
    const named = keys.filter((key) => key !== null);
    return { deleted: await removeLetters(context, named), cursor: undefined };
  }
  return removeEach(context, (work) => eachDead(context, "deadLetters", accountId, query, work));
}

/** Replaces a dead letter with a message of the same content. `given` replaces its settings. */
export async function retryDeadLetter(
  context: Context,
  account: Account,
  id: string,
  given: PublishOptions,
): Promise<Resent> {
  const stored = await getDead(context, "deadLetters", account.accountId, id);
  const answer = await retry(context, account, stored, given);
  if (answer === null) throw deadLetterNotFound(id);
  return answer;
}

/** The message that replaces a dead letter. */
export interface Resent extends PublishAnswer {
  readonly url: string;
}

export interface Retried {
  readonly responses: readonly Resent[];
  readonly cursor: string | undefined;
}

/**
 * Retries all matching dead letters, or `count` of them. Every given id must exist. A call that ends
 * with a cursor has spread what it sent; the call that continues spreads the rest from its own start.
 */
export async function retryDeadLetters(
  context: Context,
  account: Account,
  query: BulkQuery<DeadLetterFilter>,
  given: PublishOptions,
): Promise<Retried> {
  const { accountId, limits } = account;
  const spread = requireSpread(query.overMs, given, context.clock.now(), limits.delayMsMax);
  const responses: Resent[] = [];
  const change = async (letters: readonly StoredDeadLetter[]): Promise<number> => {
    const answers = await Promise.all(
      letters.map((letter) => retry(context, account, letter, spread.next(given))),
    );
    const resent = answers.filter((answer) => answer !== null);
    responses.push(...resent);
    return resent.reduce((bytes, { messageId, url }) => bytes + messageId.length + url.length, 0);
  };
  if (query.filter.deadLetterIds !== undefined) {
    await eachNamed(context, account, query.filter.deadLetterIds, change);
    return { responses, cursor: undefined };
  }
  const cursor = await eachDead(context, "deadLetters", accountId, query, { change });
  return { responses, cursor };
}

async function retry(
  context: Context,
  account: Account,
  { deadLetter, message: dead, body }: StoredDeadLetter,
  given: PublishOptions,
): Promise<Resent | null> {
  requireRoom(context);
  const options = retryOptions(dead, given);
  const { host } = requireDestination(dead.url, context.readDestination);
  requireCallbacks(context, options);
  const at = context.clock.now();
  const message = composeMessage({
    account,
    options,
    messageId: context.ids.sortable("msg_", at),
    url: dead.url,
    body,
    callerIp: dead.callerIp,
    at,
    origin: dead,
  });
  const answer = await context.store.act({
    rule: "retry-dead-letter",
    at,
    key: deadLetter,
    message: newMessage(message, host, body, null),
  });
  if (answer === null) return null;
  context.bell.ring();
  return { ...answer, url: dead.url };
}

/** Checks that all exist, and waits for memory, before the first is changed. */
async function eachNamed(
  context: Context,
  { accountId, limits }: Account,
  ids: readonly string[],
  work: (letters: readonly StoredDeadLetter[]) => Promise<number>,
): Promise<void> {
  const distinct = [...new Set(ids)];
  let hasLarge = false;
  for (const id of distinct) {
    const { body } = await getDead(context, "deadLetters", accountId, id, BODY_PART_BYTES);
    hasLarge ||= body.byteLength === BODY_PART_BYTES;
  }
  if (hasLarge) await context.reserve?.(limits.messageBytesMax);
  while (distinct.length > 0) {
    const page = distinct.splice(0, hasLarge ? 1 : NAMED_AT_ONCE);
    await work(await Promise.all(page.map((id) => getDead(context, "deadLetters", accountId, id))));
  }
}

/** Together at most a page. */
const NAMED_AT_ONCE = 5;
