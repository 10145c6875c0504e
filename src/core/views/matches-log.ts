import type { LogEntry } from "../model/message/log-entry.ts";
import type { LogFilter } from "../model/message/log-filter.ts";
import type { Message } from "../model/message/message.ts";
import { matchesAddress, matchesMessage } from "./matches-message.ts";
import { isAmong } from "./matches-values.ts";

/** Whether a log entry matches the filter. */
export function matchesLog(filter: LogFilter, entry: LogEntry, message: Message): boolean {
  return (
    isAmong(filter.states, entry.state) &&
    matchesMessage(filter, message, entry.at) &&
    matchesAddress(filter, message)
  );
}
