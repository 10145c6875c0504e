import {
  answerHeadersOf,
  type AttemptRecord,
  isAnswerCut,
} from "../../core/model/message/attempt.ts";
import type { Wait } from "../../core/model/line/waiting.ts";
import type { LogState } from "../../core/model/message/log-entry.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { GivenSettings } from "../../core/model/message/publish-options.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { type Redactable, visible } from "../../core/views/redact.ts";
import type { TypeOf } from "../json/schema.ts";
import { waitJson } from "../line/waiting.ts";
import { shownBody } from "./body.ts";
import type { CALLBACKS, MESSAGE } from "./message-schemas.ts";

/** A JSON object; undefined members are not written. */
export type Json = Readonly<Record<string, unknown>>;

/** A message as the API shows it, redacted as its publisher asked. */
export function messageJson(message: Message, body: Uint8Array) {
  const { header = {}, ...content } = contentJson(message, body);
  return {
    ...requestJson(message),
    ...content,
    header,
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    timeout: Math.ceil(message.settings.timeoutMs / 1_000),
  };
}

/** The last attempt of a failed message. */
export interface Failure {
  readonly error: string | undefined;
  /** 0 when there was no response. */
  readonly status: number;
  /** Its dead letter, while it is stored. */
  readonly dlqId: string | undefined;
}

/** A message with its state. */
export function messageWithStateJson({
  message,
  body,
  state,
  failure,
  waiting,
}: {
  readonly message: Message;
  readonly body: Uint8Array;
  readonly state: LogState;
  readonly failure: Failure | null;
  readonly waiting?: Wait | null | undefined;
}): TypeOf<typeof MESSAGE> {
  const { error, status: responseStatus, dlqId } = failure ?? {};
  return {
    ...messageJson(message, body),
    sourceMessageId: message.sourceId,
    state,
    waiting: waiting ? waitJson(waiting) : undefined,
    error,
    responseStatus,
    dlqId,
  };
}

/** A callback of a message. */
export function callbackJson({
  message: { messageId, kind, url, createdAt },
  state,
}: {
  readonly message: Message;
  readonly state: LogState;
}): TypeOf<typeof CALLBACKS>["callbacks"][number] {
  return { messageId, kind, url, state, createdAt };
}

/** The content of a message, a run or a schedule, redacted as its publisher asked. */
export function contentJson(holder: Redactable & { readonly callerIp: string }, bytes: Uint8Array) {
  const shown = visible(holder, bytes);
  const { text: body, base64: bodyBase64 } = shownBody(shown.body);
  return {
    header: headerRecord(shown.headers),
    body,
    bodyBase64,
    callbackHeader: headerRecord(shown.callbackHeaders),
    failureCallbackHeader: headerRecord(shown.failureCallbackHeaders),
    callerIP: holder.callerIp,
    callerIp: holder.callerIp,
  };
}

/** The fields that a message and each of its log entries share. */
export function requestJson(message: Message) {
  return {
    messageId: message.messageId,
    url: message.url,
    topicName: message.urlGroup,
    endpointName: message.endpointName,
    queueName: message.queueName,
    scheduleId: message.scheduleId,
    method: message.method,
    ...settingsJson(message.settings),
  };
}

/** The settings of a message, a run or a schedule as the API shows them. */
export function settingsJson<Given extends GivenSettings>(settings: Given) {
  const { flowControl } = settings;
  return {
    maxRetries: settings.retries as Given["retries"],
    retryDelayExpression: settings.retryDelay,
    callback: settings.callback?.url,
    failureCallback: settings.failureCallback?.url,
    ...labelsJson(settings),
    ...(flowControl && {
      flowControlKey: flowControl.key,
      parallelism: flowControl.parallelism,
      rate: flowControl.rate,
      period: flowControl.periodMs / 1_000,
    }),
  };
}

export function labelsJson({ labels }: GivenSettings) {
  return { label: labels?.[0], labels };
}

/** Headers of an answer. */
export function answerHeaders(attempt: AttemptRecord | null | undefined) {
  return attempt ? headerRecord(answerHeadersOf(attempt)) : undefined;
}

/** Present only when true. */
export function cutMark(attempt: AttemptRecord | null | undefined): true | undefined {
  return attempt && isAnswerCut(attempt) ? true : undefined;
}
