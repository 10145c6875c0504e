import type { FollowUpSource, SettleAct } from "../act.ts";
import type { Change } from "../change.ts";
import { encodeFacts } from "../model/facts.ts";
import { linesOf } from "../model/line.ts";
import type { Callback, HeaderList, Message, MessageKind } from "../model/message.ts";
import type { MessageState } from "../model/message-state.ts";
import { callbackPayload } from "./callback-payload.ts";
import { hostOf } from "./destination.ts";
import { addMessage } from "./publish.ts";

/** The message that reports an attempt, when one was asked for. */
export function callbackOf(source: FollowUpSource, act: SettleAct, state: MessageState): Change[] {
  const { callback } = source.message;
  return callback ? followUp("callback", callback, source.callbackId, source, act, state) : [];
}

/** The message that reports a final failure, when one was asked for. */
export function failureCallbackOf(
  source: FollowUpSource,
  act: SettleAct,
  state: MessageState,
  dlqId: string,
): Change[] {
  const { failureCallback } = source.message;
  return failureCallback
    ? followUp(
        "failure-callback",
        failureCallback,
        source.failureCallbackId,
        source,
        act,
        state,
        dlqId,
      )
    : [];
}

/** An ordinary message: its own id, retries and log. It reports to nobody itself. */
function followUp(
  kind: MessageKind,
  callback: Callback,
  messageId: string,
  source: FollowUpSource,
  { attempt, at }: SettleAct,
  state: MessageState,
  dlqId?: string,
): Change[] {
  const { accountId, rootId } = state;
  const { message: original } = source;
  const body = new TextEncoder().encode(
    callbackPayload({
      message: original,
      body: source.body,
      status: attempt.status,
      error: attempt.error,
      responseHeaders: JSON.parse(attempt.headers) as HeaderList,
      responseBody: source.responseBody,
      retried: attempt.number - 1,
      dlqId,
    }),
  );
  const message: Message = {
    accountId,
    messageId,
    kind,
    dialect: original.dialect,
    url: callback.url,
    method: callback.method,
    headers: withContentType(callback.headers),
    timeoutMs: callback.timeoutMs,
    retries: callback.retries,
    retryDelay: callback.retryDelay,
    labels: original.labels,
    callerIp: original.callerIp,
    createdAt: at,
    notBefore: at + callback.delayMs,
    rootId: rootId ?? undefined,
    hops: original.hops,
  };
  const host = hostOf(callback.url);
  const added = addMessage({
    state: {
      accountId,
      messageId,
      phase: "waiting",
      attempts: 0,
      readyAt: message.notBefore,
      ...linesOf({}, host),
      host,
      bytes: body.byteLength,
      fence: 0,
      nodeId: null,
      leasedAt: null,
      losses: 0,
      cancelRequested: false,
      rootId,
    },
    facts: encodeFacts(message),
    body,
    createdAt: at,
  });
  return rootId === null ? added : [...added, { type: "hold.changed", accountId, rootId, by: 1 }];
}

/** The payload is JSON unless whoever asked for the callback calls it something else. */
function withContentType(headers: HeaderList): HeaderList {
  const named = headers.some(([name]) => name.toLowerCase() === "content-type");
  return named ? headers : [["Content-Type", "application/json"], ...headers];
}
