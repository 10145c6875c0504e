import type { CancelAnswer } from "../core/act.ts";
import { cancelMessage, cancelMessages } from "../operations/cancel.ts";
import { listLiveMessages } from "../operations/live-messages.ts";
import { getMessage } from "../operations/messages.ts";
import { CANCEL_BODY_BYTES_MAX, readCancelFilter } from "../wire/cancel.ts";
import { readLiveQuery, standingJson } from "../wire/live-messages.ts";
import { type Answer, json } from "./answer.ts";
import type { AccountCall, Api } from "./call.ts";

export async function showMessage({ context }: Api, call: AccountCall): Promise<Answer> {
  const { message, body, state } = await getMessage(context, keyOf(call));
  return json(200, standingJson(message, body, state));
}

export async function listMessages({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = readLiveQuery(call.query);
  const { items, cursor } = await listLiveMessages(context, call.access.account.accountId, query);
  const messages = items.map(({ message, body, state }) => standingJson(message, body, state));
  return json(200, { cursor, messages });
}

export async function deleteMessage({ context }: Api, call: AccountCall): Promise<Answer> {
  return cancelled(await cancelMessage(context, keyOf(call)));
}

export async function deleteMessages({ context }: Api, call: AccountCall): Promise<Answer> {
  const filter = readCancelFilter(call.query, await call.body.read(CANCEL_BODY_BYTES_MAX));
  return cancelled(await cancelMessages(context, call.access.account.accountId, filter));
}

function cancelled({ cancelled: count, inFlight }: CancelAnswer): Answer {
  return json(200, { cancelled: count, inFlight: inFlight === 0 ? undefined : inFlight });
}

function keyOf({ access, parameters }: AccountCall): { accountId: string; messageId: string } {
  return { accountId: access.account.accountId, messageId: parameters[0]! };
}
