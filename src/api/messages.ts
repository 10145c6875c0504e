import type { PublishAnswer } from "../core/act.ts";
import { requireTarget } from "../operations/destinations.ts";
import { cancelMessage, getMessage, publish } from "../operations/messages.ts";
import { readDestination } from "../wire/destination.ts";
import { messageJson } from "../wire/message.ts";
import { readPublishOptions } from "../wire/publish.ts";
import { type Answer, json } from "./answer.ts";
import type { AccountCall, Api } from "./call.ts";

export async function publishMessage(api: Api, call: AccountCall): Promise<Answer> {
  const { account } = call.access;
  const { destination, aliases } = readDestination(call.rest);
  const options = readPublishOptions(call.request.rawHeaders, aliases, {
    defaultDialect: account.defaultDialect,
    retriesDefault: account.limits.retriesDefault,
  });
  const body = await call.body.read(account.limits.messageBytesMax);
  const target = requireTarget(api.context, destination);
  const callerIp = api.callerIp(call.request);
  const answers = await publish(api.context, { account, target, options, body, callerIp });
  return published(answers[0]!);
}

/** Ids hold nothing that JSON would have to escape. */
export function published({ messageId, deduplicated }: PublishAnswer, status = 200): Answer {
  return deduplicated
    ? { status: 202, body: `{"messageId":"${messageId}","deduplicated":true}` }
    : { status, body: `{"messageId":"${messageId}"}` };
}

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
