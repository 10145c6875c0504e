import type { IncomingMessage } from "node:http";
import { Problem } from "../../core/problem.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import * as hooks from "../../operations/workflow/hooks.ts";
import { base64Of } from "../../wire/message/body.ts";
import { prefixErrors } from "../../wire/headers/header-value.ts";
import { decodePath, readEventId, readRunPath } from "../../wire/workflow/run-path.ts";
import { EMPTY } from "../http/answers/answer.ts";
import type { AdmittedHandler, Api, UnreadCall } from "../http/server/call.ts";

/**
 * The URL of a webhook, which its workflow has given away: a call with any method and without a
 * token is delivered to the run as an event, if the run has created the webhook in the URL.
 */
export async function admitHook(api: Api, call: UnreadCall): Promise<AdmittedHandler> {
  const hook = await findHook(api, call);
  api.hookLimit.countTaken(hook.run);
  return async (body) => {
    const { accountId, limits } = hook.account;
    const bytes = await body.chargeTo(accountId).read(limits.messageBytesMax);
    await hooks.callHook(api.context, hook, eventOf(api, call.request, bytes));
    return EMPTY;
  };
}

async function findHook(
  { context, hookLimit, callerIp }: Api,
  { request, rest }: UnreadCall,
): Promise<hooks.Hook> {
  try {
    return await hooks.findHook(context, readPath(rest));
  } catch (error) {
    if (error instanceof Problem) hookLimit.countRefused(callerIp(request));
    throw error;
  }
}

/** The event that describes the call. */
function eventOf({ publicUrl }: Api, request: IncomingMessage, body: Uint8Array): Uint8Array {
  const { proto, host } = publicUrl(request);
  const event = {
    method: request.method,
    header: headerRecord(pairsOf(request.rawHeaders)) ?? {},
    body: body.byteLength === 0 ? undefined : base64Of(body),
    proto,
    host,
    url: request.url,
  };
  return new TextEncoder().encode(JSON.stringify(event));
}

function readPath(rest: string): hooks.HookAddress {
  const questionAt = rest.indexOf("?");
  const parts = (questionAt < 0 ? rest : rest.slice(0, questionAt)).split("/");
  const [accountId, runId, ...event] = parts;
  if (accountId === undefined || runId === undefined || event.length === 0) throw hooks.noHook();
  return {
    accountId: prefixErrors("accountId", () => decodePath(accountId)),
    runId: readRunPath(runId),
    eventId: readEventId(event.join("/")),
  };
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  return pairs;
}
