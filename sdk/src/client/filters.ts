import type { OptionNames } from "../option-names.ts";
import type { LogState, WaitReason } from "../answers/words.ts";

type OneOrMany<Value> = Value | readonly Value[];

/** Conditions on messages. Several values of one are alternatives; several conditions must all hold. */
export interface CommonFilter {
  readonly url?: OneOrMany<string> | undefined;
  /** The beginning of the URL. */
  readonly urlPrefix?: OneOrMany<string> | undefined;
  /** A text in the URL, a label or the error, in any case. */
  readonly search?: string | undefined;
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
  /** Why they wait. */
  readonly waitingFor?: OneOrMany<WaitReason> | undefined;
}

export interface LogFilter extends Omit<MessageFilter, "waitingFor"> {
  readonly messageId?: OneOrMany<string> | undefined;
  readonly responseStatus?: OneOrMany<number> | undefined;
  /** A text in the error, in any case. */
  readonly errorText?: string | undefined;
  readonly state?: OneOrMany<LogState | "IN_PROGRESS"> | undefined;
}

export interface DeadLetterFilter extends CommonFilter {
  readonly host?: OneOrMany<string> | undefined;
  readonly messageId?: OneOrMany<string> | undefined;
  readonly responseStatus?: OneOrMany<number> | undefined;
  /** The last error, whole. */
  readonly error?: string | undefined;
  /** A text in the last error, in any case. */
  readonly errorText?: string | undefined;
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
  urlPrefix: true,
  search: true,
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
  waitingFor: true,
};
const { waitingFor: _, ...LOGGED_MESSAGE_FILTER } = MESSAGE_FILTER;
export const LOG_FILTER: OptionNames<LogFilter> = {
  ...LOGGED_MESSAGE_FILTER,
  messageId: true,
  state: true,
  responseStatus: true,
  errorText: true,
};
export const DEAD_LETTER_FILTER: OptionNames<DeadLetterFilter> = {
  ...COMMON_FILTER,
  host: true,
  messageId: true,
  responseStatus: true,
  error: true,
  errorText: true,
  cause: true,
};
export const LIST_OPTIONS: OptionNames<ListOptions> = { count: true, cursor: true };
