import type { FollowUpSource, SettleAct } from "./settlement.ts";
import type { Change } from "../../change.ts";
import { answerHeadersOf } from "../../model/message/attempt.ts";
import type { Callback, HeaderList, Message, MessageState } from "../../model/message/message.ts";
import { type CallbackRequest, nested } from "../../model/message/settings.ts";
import { PIECE_BYTES } from "../../model/message/body-piece.ts";
import {
  callbackBeginning,
  callbackPayload,
  callbackRest,
  type Report,
} from "./callback-payload.ts";
import { newMessage } from "./compose-message.ts";
import { hostOf } from "../../policy/egress/read-destination.ts";
import { addMessage } from "./publish.ts";
import { redactionOfReport } from "../../views/redact.ts";

/** The message that reports an attempt, if the publisher asked for one. */
export function callbackOf(source: FollowUpSource, act: SettleAct, state: MessageState): Change[] {
  const { callback } = source.message.settings;
  const report = { kind: "callback", callback, messageId: source.callbackId } as const;
  return followUp(report, source, act, state);
}

/** The message that reports a final failure, if the publisher asked for one. */
export function failureCallbackOf(
  source: FollowUpSource,
  act: SettleAct,
  state: MessageState,
  dlqId: string,
): Change[] {
  const { failureCallback: callback } = source.message.settings;
  const { failureCallbackId: messageId } = source;
  return followUp({ kind: "failure-callback", callback, messageId, dlqId }, source, act, state);
}

interface FollowUp extends Pick<Message, "kind" | "messageId"> {
  readonly callback: Callback | undefined;
  readonly dlqId?: string;
}

/** An ordinary message with its own id, retries and log, but without callbacks. */
function followUp(
  { kind, callback, messageId, dlqId }: FollowUp,
  source: FollowUpSource,
  act: SettleAct,
  state: MessageState,
): Change[] {
  if (callback === undefined) return [];
  const { accountId, rootId, queue } = state;
  const { delayMs, settings, ...request } = nested<CallbackRequest>(callback);
  const { labels, redact } = source.message.settings;
  const { bytesAhead: bytes } = source;
  const report = reportOf(source, act, dlqId);
  const body = bytes === undefined ? callbackPayload(report) : callbackRest(report);
  const message: Message = {
    ...request,
    accountId,
    messageId,
    kind,
    dialect: source.message.dialect,
    headers: withContentType(callback.headers),
    settings: { ...settings, labels, redact: redactionOfReport(redact) },
    callerIp: source.message.callerIp,
    createdAt: act.at,
    notBefore: act.at + delayMs,
    rootId: rootId ?? undefined,
    sourceId: source.message.messageId,
    hops: source.message.hops,
    ahead: bytes === undefined ? undefined : { attempt: act.attempt.number, bytes },
  };
  const made = newMessage(message, hostOf(callback.url), body, null);
  return addMessage({ ...made, state: { ...made.state, queue } });
}

type Reported = Pick<SettleAct, "attempt">;

/** Every report of an attempt up to the end of the response body, in pieces of PIECE_BYTES. */
export function beginningOf(source: FollowUpSource, act: Reported): Iterable<Uint8Array> {
  return callbackBeginning(reportOf(source, act), PIECE_BYTES);
}

function reportOf(source: FollowUpSource, { attempt }: Reported, dlqId?: string): Report {
  return {
    message: source.message,
    body: source.body,
    status: attempt.status,
    error: attempt.error,
    responseHeaders: answerHeadersOf(attempt),
    responseBody: source.responseBody,
    isCut: source.responseCut !== undefined,
    retried: attempt.number - 1,
    dlqId,
  };
}

/** The payload is JSON unless the publisher gave another Content-Type. */
function withContentType(headers: HeaderList): HeaderList {
  const named = headers.some(([name]) => name.toLowerCase() === "content-type");
  return named ? headers : [["Content-Type", "application/json"], ...headers];
}
