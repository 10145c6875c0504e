import { cancelMessage, getMessage } from "../operations/messages.ts";
import { messageJson } from "../wire/message.ts";
import { type Answer, json } from "./answer.ts";
import type { AccountCall, Api } from "./call.ts";

export async function showMessage({ context }: Api, call: AccountCall): Promise<Answer> {
  const { message, body } = await getMessage(context, keyOf(call));
  return json(200, messageJson(message, body));
}

export async function deleteMessage({ context }: Api, call: AccountCall): Promise<Answer> {
  const { cancelled, inFlight } = await cancelMessage(context, keyOf(call));
  return json(200, { cancelled, inFlight: inFlight === 0 ? undefined : inFlight });
}

function keyOf({ access, parameters }: AccountCall): { accountId: string; messageId: string } {
  return { accountId: access.account.accountId, messageId: parameters[0]! };
}
