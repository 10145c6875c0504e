import type { AddressFilter, MessageFilter } from "../model/message/log-filter.ts";
import type { Instant, Message } from "../model/message/message.ts";

/** The part of a filter about the message; `at` is the instant that the dates apply to. */
export function matchesMessage(filter: MessageFilter, message: Message, at: Instant): boolean {
  return (
    (filter.fromAt === undefined || at >= filter.fromAt) &&
    (filter.toAt === undefined || at <= filter.toAt) &&
    isAmong(filter.messageIds, message.messageId) &&
    isAmong(filter.urls, message.url) &&
    isAmong(filter.urlGroups, message.urlGroup) &&
    isAmong(filter.scheduleIds, message.scheduleId) &&
    isAmong(filter.queueNames, message.queueName) &&
    isAmong(filter.callerIps, message.callerIp) &&
    isAmong(filter.flowControlKeys, message.flowControl?.key) &&
    (filter.labels === undefined || filter.labels.some((label) => message.labels?.includes(label)))
  );
}

/** The part of a filter about the destination. */
export function matchesAddress({ hosts, paths }: AddressFilter, message: Message): boolean {
  if (hosts === undefined && paths === undefined) return true;
  const url = URL.parse(message.url);
  if (url === null) return false;
  return (isAmong(hosts, url.host) || isAmong(hosts, url.hostname)) && isAmong(paths, url.pathname);
}

/** True when the filter has no such field. */
export function isAmong<Value>(
  wanted: readonly Value[] | undefined,
  value: Value | undefined,
): boolean {
  return wanted === undefined || (value !== undefined && wanted.includes(value));
}
