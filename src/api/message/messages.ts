import * as messages from "../../operations/message/messages.ts";
import type { CancelAnswer } from "../../core/rules/message/cancel.ts";
import { countLive } from "../../operations/bulk-count.ts";
import { bodyParts, isLarge } from "../../operations/message/body-parts.ts";
import { cancelMessage, cancelMessages } from "../../operations/message/cancel.ts";
import { listLiveMessages } from "../../operations/message/live-messages.ts";
import { countWaiting, sendManyNow, sendNow } from "../../operations/message/send-now.ts";
import { BODY_BYTES_MAX, readNothing } from "../../wire/account/account.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { FILTER_BODY_BYTES_MAX } from "../../wire/filters/body-filters.ts";
import { readCancelQuery, readSendNowQuery } from "../../wire/message/cancel.ts";
import {
  callbackJson,
  readLiveQuery,
  messageWithStateJson,
} from "../../wire/message/live-messages.ts";
import { type Answer, counted, json, jsonAndBody } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function showMessage({ context }: Api, call: AccountCall): Promise<Answer> {
  const key = keyOf(call);
  const found = await messages.getMessage(context, key);
  const { message, body } = found;
  if (!isLarge(body, message.settings)) return json(200, messageWithStateJson(found));
  const value = messageWithStateJson({ ...found, body: NO_BYTES });
  return jsonAndBody(value, () => bodyParts(context, key, body));
}

export async function listMessages({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = readLiveQuery(call.query);
  const { items, cursor } = await listLiveMessages(context, call.access.account.accountId, query);
  return json(200, { cursor, messages: items.map(messageWithStateJson) });
}

export async function listCallbacks({ context }: Api, call: AccountCall): Promise<Answer> {
  requireNoFilters(call.query);
  const callbacks = await messages.listCallbacks(context, keyOf(call));
  return json(200, { callbacks: callbacks.map(callbackJson) });
}

export async function retryMessage({ context }: Api, call: AccountCall): Promise<Answer> {
  readNothing(await call.body.read(BODY_BYTES_MAX));
  const { messageId } = keyOf(call);
  return json(200, { messageId, state: await sendNow(context, keyOf(call)) });
}

export async function retryMessages({ context }: Api, call: AccountCall): Promise<Answer> {
  const { account } = call.access;
  const query = readSendNowQuery(call.query, await call.body.read(FILTER_BODY_BYTES_MAX));
  if (query.isDryRun) return counted(await countWaiting(context, account, query));
  const { retried, cursor } = await sendManyNow(context, account, query);
  return json(200, { cursor, retried });
}

export async function deleteMessage({ context }: Api, call: AccountCall): Promise<Answer> {
  return canceled(await cancelMessage(context, keyOf(call)));
}

export async function deleteMessages({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = readCancelQuery(call.query, await call.body.read(FILTER_BODY_BYTES_MAX));
  const { accountId } = call.access.account;
  if (query.isDryRun) {
    return counted(await countLive(context, accountId, query, { action: "cancel" }));
  }
  return canceled(await cancelMessages(context, accountId, query));
}

function canceled({ canceled: count, inFlight }: CancelAnswer): Answer {
  return json(200, { cancelled: count, inFlight: inFlight === 0 ? undefined : inFlight });
}

function keyOf({ access, parameters }: AccountCall): { accountId: string; messageId: string } {
  return { accountId: access.account.accountId, messageId: parameters[0]! };
}

const NO_BYTES = new Uint8Array(0);
