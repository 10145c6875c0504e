import type { MessageFilter } from "../model/log-filter.ts";
import type { Instant, Message } from "../model/message.ts";

/** The part of a filter that looks at the message; `at` is the instant that the dates judge. */
export function matchesMessage(filter: MessageFilter, message: Message, at: Instant): boolean {
  return (
    (filter.fromAt === undefined || at >= filter.fromAt) &&
    (filter.toAt === undefined || at <= filter.toAt) &&
    isAmong(filter.messageIds, message.messageId) &&
    isAmong(filter.urls, message.url) &&
    isAmong(filter.topicNames, message.topicName) &&
    isAmong(filter.scheduleIds, message.scheduleId) &&
    isAmong(filter.queueNames, message.queueName) &&
    isAmong(filter.callerIps, message.callerIp) &&
    isAmong(filter.flowControlKeys, message.flowControl?.key) &&
    (filter.labels === undefined || filter.labels.some((label) => message.labels?.includes(label)))
  );
}

/** True when the filter does not ask. */
export function isAmong<Value>(
  wanted: readonly Value[] | undefined,
  value: Value | undefined,
): boolean {
  return wanted === undefined || (value !== undefined && wanted.includes(value));
}
