import type { IncomingMessage } from "node:http";
import { Problem } from "../core/problem.ts";
import { headerRecord } from "../core/rules/header-name.ts";
import { notifyRun } from "../operations/waits.ts";
import { base64Of } from "../wire/body.ts";
import { decodePath } from "../wire/run-path.ts";
import { parseEventId } from "../wire/wait.ts";
import { parseRunId } from "../wire/workflow-headers.ts";
import { EMPTY } from "./answer.ts";
import type { AdmittedHandler, Api, UnreadCall } from "./call.ts";

/**
 * A URL that a workflow has given away: whoever calls it, with whatever method and without a token,
 * brings its call as an event to the run. The event's id cannot be guessed.
 */
export async function admitHook(api: Api, { request, rest }: UnreadCall): Promise<AdmittedHandler> {
  const { context } = api;
  const [accountId, runId, eventId] = readPath(rest);
  const account = await context.store.reader.account(accountId);
  if (account === null) throw notFound();
  return async (body) => {
    const bytes = await body.read(account.limits.messageBytesMax);
    const event = eventOf(api, request, bytes);
    await notifyRun(context, { accountId, runId }, eventId, event);
    return EMPTY;
  };
}

/** What the run is told of the call. */
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

function readPath(rest: string): [string, string, string] {
  const questionAt = rest.indexOf("?");
  const parts = (questionAt < 0 ? rest : rest.slice(0, questionAt)).split("/");
  const [accountId, runId, ...event] = parts;
  if (accountId === undefined || runId === undefined || event.length === 0) throw notFound();
  return [
    decodePath(accountId),
    parseRunId(decodePath(runId)),
    parseEventId(decodePath(event.join("/"))),
  ];
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  return pairs;
}

function notFound(): Problem {
  return new Problem("not-found", "no run waits behind this address");
}
