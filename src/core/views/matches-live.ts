import type { AddressFilter } from "../model/message/log-filter.ts";
import type { Message } from "../model/message/message.ts";
import { matchesAddress, matchesMessage } from "./matches-message.ts";

/** Whether a message that has not ended matches the filter. Dates apply to its creation. */
export function matchesLive(filter: AddressFilter, message: Message): boolean {
  return matchesMessage(filter, message, message.createdAt) && matchesAddress(filter, message);
}
