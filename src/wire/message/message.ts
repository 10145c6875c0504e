import type { FlowControl, Message } from "../../core/model/message/message.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { visible } from "../../core/views/redact.ts";
import { shownBody } from "./body.ts";

/** A JSON object; undefined members are not written. */
export type Json = Readonly<Record<string, unknown>>;

/** A message as the API shows it, redacted as its publisher asked. */
export function messageJson(message: Message, body: Uint8Array) {
  const shown = visible(message, body);
  const { text, base64 } = shownBody(shown.body);
  return {
    ...settingsJson(message),
    header: headerRecord(shown.headers) ?? {},
    body: text,
    bodyBase64: base64,
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    timeout: Math.ceil(message.timeoutMs / 1_000),
    callbackHeader: headerRecord(shown.callbackHeaders),
    failureCallbackHeader: headerRecord(shown.failureCallbackHeaders),
    callerIP: message.callerIp,
    callerIp: message.callerIp,
  };
}

/** The fields that a message and each of its log entries share. */
export function settingsJson(message: Message) {
  return {
    messageId: message.messageId,
    url: message.url,
    topicName: message.urlGroup,
    endpointName: message.endpointName,
    queueName: message.queueName,
    scheduleId: message.scheduleId,
    method: message.method,
    maxRetries: message.retries,
    retryDelayExpression: message.retryDelay,
    callback: message.callback?.url,
    failureCallback: message.failureCallback?.url,
    label: message.labels?.[0],
    labels: message.labels,
    ...flowControlJson(message.flowControl),
  };
}

export function flowControlJson(flowControl: FlowControl | undefined) {
  if (flowControl === undefined) return {};
  return {
    flowControlKey: flowControl.key,
    parallelism: flowControl.parallelism,
    rate: flowControl.rate,
    period: flowControl.periodMs / 1_000,
  };
}
