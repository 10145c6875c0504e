import type { AddressFilter, MessageFilter } from "../model/message/log-filter.ts";
import type { Message } from "../model/message/message.ts";
import type { Instant } from "../model/time.ts";
import { isAmong, isWithin, matchesCommon } from "./matches-values.ts";

/** The part of a filter about the message; `at` is the instant that the dates apply to. */
export function matchesMessage(filter: MessageFilter, message: Message, at: Instant): boolean {
  return (
    isWithin(filter, at) &&
    isAmong(filter.messageIds, message.messageId) &&
    isAmong(filter.urls, message.url) &&
    isAmong(filter.urlGroups, message.urlGroup) &&
    isAmong(filter.scheduleIds, message.scheduleId) &&
    isAmong(filter.queueNames, message.queueName) &&
    matchesCommon(filter, message)
  );
}

/** The part of a filter about the destination. */
export function matchesAddress({ hosts, paths }: AddressFilter, message: Message): boolean {
  if (hosts === undefined && paths === undefined) return true;
  const url = URL.parse(message.url);
  if (url === null) return false;
  return (isAmong(hosts, url.host) || isAmong(hosts, url.hostname)) && isAmong(paths, url.pathname);
}

/** Whether a message that has not ended matches the filter. Dates apply to its creation. */
export function matchesLive(filter: AddressFilter, message: Message): boolean {
  return matchesMessage(filter, message, message.createdAt) && matchesAddress(filter, message);
}
