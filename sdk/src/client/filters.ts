import type { OptionNames } from "../option-names.ts";
import type { LogState } from "../answers/words.ts";

type OneOrMany<Value> = Value | readonly Value[];

/** Conditions on messages. Several values of one are alternatives; several conditions must all hold. */
export interface CommonFilter {
  readonly url?: OneOrMany<string> | undefined;
  readonly topicName?: OneOrMany<string> | undefined;
  readonly queueName?: OneOrMany<string> | undefined;
  readonly scheduleId?: OneOrMany<string> | undefined;
  readonly callerIp?: OneOrMany<string> | undefined;
  readonly label?: OneOrMany<string> | undefined;
  readonly flowControlKey?: OneOrMany<string> | undefined;
  /** Inclusive, as a date or unix milliseconds. */
  readonly fromDate?: Date | number | undefined;
  readonly toDate?: Date | number | undefined;
}

export interface MessageFilter extends CommonFilter {
  readonly host?: OneOrMany<string> | undefined;
  readonly path?: OneOrMany<string> | undefined;
}

export interface LogFilter extends MessageFilter {
  readonly messageId?: OneOrMany<string> | undefined;
  readonly state?: OneOrMany<LogState | "IN_PROGRESS"> | undefined;
}

export interface DeadLetterFilter extends CommonFilter {
  readonly messageId?: OneOrMany<string> | undefined;
  readonly responseStatus?: OneOrMany<number> | undefined;
  /** The last error, whole. */
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

export interface Ordered {
  readonly order?: "latestFirst" | "earliestFirst" | undefined;
}

/** The size of a page, and where it starts. */
export interface ListOptions {
  readonly count?: number | undefined;
  readonly cursor?: string | undefined;
}

const COMMON_FILTER: OptionNames<CommonFilter> = {
  url: true,
  topicName: true,
  queueName: true,
  scheduleId: true,
  callerIp: true,
  label: true,
  flowControlKey: true,
  fromDate: true,
  toDate: true,
};
export const MESSAGE_FILTER: OptionNames<MessageFilter> = {
  ...COMMON_FILTER,
  host: true,
  path: true,
};
export const LOG_FILTER: OptionNames<LogFilter> = {
  ...MESSAGE_FILTER,
  messageId: true,
  state: true,
};
export const DEAD_LETTER_FILTER: OptionNames<DeadLetterFilter> = {
  ...COMMON_FILTER,
  messageId: true,
  responseStatus: true,
  error: true,
  cause: true,
};
export const LIST_OPTIONS: OptionNames<ListOptions> = { count: true, cursor: true };
