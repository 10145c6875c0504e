import type { AddressFilter } from "../model/message/log-filter.ts";
import type { Message } from "../model/message/message.ts";
import { matchesAddress, matchesMessage } from "./matches-message.ts";

/** Whether a message that has not ended is one of those asked for. Dates judge when it was made. */
export function matchesLive(filter: AddressFilter, message: Message): boolean {
  return matchesMessage(filter, message, message.createdAt) && matchesAddress(filter, message);
}
