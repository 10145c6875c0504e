import type { LogState } from "./log-entry.ts";
import type { Instant } from "./message.ts";

/** What every list of messages can be narrowed by: any of the values, all of the fields. */
export interface MessageFilter {
  readonly messageIds?: readonly string[] | undefined;
  readonly urls?: readonly string[] | undefined;
  readonly topicNames?: readonly string[] | undefined;
  readonly scheduleIds?: readonly string[] | undefined;
  readonly queueNames?: readonly string[] | undefined;
  readonly callerIps?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly flowControlKeys?: readonly string[] | undefined;
  /** Both bounds belong to the range. */
  readonly fromAt?: Instant | undefined;
  readonly toAt?: Instant | undefined;
}

export interface LogFilter extends MessageFilter {
  readonly states?: readonly LogState[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
}
