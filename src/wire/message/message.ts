import {
  answerHeadersOf,
  type AttemptRecord,
  isAnswerCut,
} from "../../core/model/message/attempt.ts";
import type { Wait } from "../../core/model/line/waiting.ts";
import type { LogState, LoggedEntry } from "../../core/model/message/log-entry.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { GivenSettings } from "../../core/model/message/publish-options.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { type Redactable, visible } from "../../core/views/redact.ts";
import type { TypeOf } from "../json/schema.ts";
import { waitJson } from "../line/waiting.ts";
import { shownBody, shownBase64 } from "./body.ts";
import type {
  CALLBACKS,
  MESSAGE,
  DEAD_LETTER,
  DEAD_LETTER_GROUP,
  DEAD_LETTER_HOST,
  LOG_ENTRY,
} from "./message-schemas.ts";
import { type DeadLetter, deadLetterId } from "../../core/model/message/dead-letter.ts";

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
function requestJson(message: Message) {
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

export function answerHeaders(attempt: AttemptRecord | null | undefined) {
  return attempt ? headerRecord(answerHeadersOf(attempt)) : undefined;
}

/** Present only when true. */
export function cutMark(attempt: AttemptRecord | null | undefined): true | undefined {
  return attempt && isAnswerCut(attempt) ? true : undefined;
}

interface DeadMessage {
  readonly deadLetter: DeadLetter;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
}

type Group = TypeOf<typeof DEAD_LETTER_GROUP>;
type Host = TypeOf<typeof DEAD_LETTER_HOST>;
/** Dead letters that failed alike. */
type ShownGroup = Omit<Group, "responseStatus" | "error"> & {
  readonly status: number;
  readonly error: string | null;
};

function countsOf({ count, attempts, firstAt, lastAt, hours }: Omit<Host, "host">) {
  return { count, attempts, firstAt, lastAt, hours };
}

export function deadLetterGroupJson({ status, error, cause, ...group }: ShownGroup): Group {
  return { cause, ...countsOf(group), responseStatus: status, error: error ?? undefined };
}

export function deadLetterHostJson({ host, ...group }: Host): Host {
  return { host, ...countsOf(group) };
}

/** A dead letter as the API shows it: its message and its end. */
export function deadLetterJson({
  deadLetter,
  message,
  body,
  attempt,
}: DeadMessage): TypeOf<typeof DEAD_LETTER> {
  return { ...messageJson(message, body), ...deathJson(deadLetter, attempt) };
}

/** Why a message or a run ended, and its last response; status 0 for no response. */
export function deathJson(deadLetter: DeadLetter, attempt: AttemptRecord | null) {
  const { text, base64 } = shownBody(attempt?.body ?? "");
  return {
    dlqId: deadLetterId(deadLetter),
    error: deadLetter.error,
    cause: deadLetter.cause,
    attempts: deadLetter.attempt,
    responseStatus: deadLetter.status,
    responseHeader: answerHeaders(attempt),
    responseBody: text === "" ? undefined : text,
    responseBodyBase64: base64,
    responseBodyTruncated: cutMark(attempt),
  };
}

/**
 * A log entry as the API shows it. It repeats the message's settings, and some fields twice under
 * the two names that clients read.
 */
export function logEntryJson(logged: LoggedEntry): TypeOf<typeof LOG_ENTRY> {
  const { entry, message, body } = logged;
  const shown = visible(message, body);
  const request = requestJson(message);
  return {
    time: entry.at,
    state: entry.state,
    error: entry.error,
    nextDeliveryTime: entry.nextAt,
    ...request,
    retryDelayExpr: request.retryDelayExpression,
    header: headerRecord(shown.headers),
    body: shownBase64(shown.body),
    timeout: message.settings.timeoutMs,
    callbackHeaders: headerRecord(shown.callbackHeaders),
    failureCallbackHeaders: headerRecord(shown.failureCallbackHeaders),
    callerIp: message.callerIp,
    ...responseJson(logged),
  };
}

function responseJson({ entry, message, attempt }: LoggedEntry) {
  // An entry without the response may still hold its status.
  if (attempt === null) return { responseStatus: entry.status === 0 ? undefined : entry.status };
  const made = {
    attempt: attempt.number,
    attemptStartedAt: attempt.startedAt,
    attemptDurationMs: Math.max(0, attempt.endedAt - attempt.startedAt),
    nodeId: attempt.nodeId,
  };
  if (attempt.status === 0) return made;
  const responseHeaders = answerHeaders(attempt);
  return {
    ...made,
    responseStatus: attempt.status,
    responseHeader: responseHeaders,
    responseHeaders,
    responseBody: shownBase64(shownAnswer(message, attempt.body)),
    responseBodyTruncated: cutMark(attempt),
  };
}

/** The response to a workflow's call is the result of a step, and redacted like one. */
function shownAnswer({ kind, settings }: Message, body: Uint8Array): Uint8Array | string {
  const { redact } = settings;
  if (kind !== "call" || redact?.body !== true) return body;
  return visible({ headers: [], settings: { redact: { ...redact, bodyHash: undefined } } }, body)
    .body;
}
