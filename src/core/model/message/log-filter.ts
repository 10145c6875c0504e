import type { LogState } from "./log-entry.ts";
import type { Instant } from "../time.ts";

/** The filter of all lists of messages: any of the values, all of the fields. */
export interface MessageFilter {
  readonly messageIds?: readonly string[] | undefined;
  readonly urls?: readonly string[] | undefined;
  readonly urlGroups?: readonly string[] | undefined;
  readonly scheduleIds?: readonly string[] | undefined;
  readonly queueNames?: readonly string[] | undefined;
  readonly callerIps?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly flowControlKeys?: readonly string[] | undefined;
  /** Both bounds are inclusive. */
  readonly fromAt?: Instant | undefined;
  readonly toAt?: Instant | undefined;
}

/** Filters by the parts of the destination too. */
export interface AddressFilter extends MessageFilter {
  readonly hosts?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
}

export interface LogFilter extends AddressFilter {
  readonly states?: readonly LogState[] | undefined;
}

/** True when the filter matches every message. */
export function isOpen(filter: AddressFilter): boolean {
  return Object.values(filter).every((wanted) => wanted === undefined);
}
