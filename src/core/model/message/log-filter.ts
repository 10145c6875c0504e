import type { LogState } from "./log-entry.ts";
import type { WaitReason } from "../line/waiting.ts";
import type { Instant } from "../time.ts";

/** The filters that lists of messages and of runs share: any of the values, all of the fields. */
export interface CommonFilter {
  readonly callerIps?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly flowControlKeys?: readonly string[] | undefined;
  /** A text in the URL, a label or the error, in any case. */
  readonly search?: string | undefined;
  /** Both bounds are inclusive. */
  readonly fromAt?: Instant | undefined;
  readonly toAt?: Instant | undefined;
}

export interface MessageFilter extends CommonFilter {
  readonly messageIds?: readonly string[] | undefined;
  readonly urls?: readonly string[] | undefined;
  readonly urlPrefixes?: readonly string[] | undefined;
  readonly urlGroups?: readonly string[] | undefined;
  readonly scheduleIds?: readonly string[] | undefined;
  readonly queueNames?: readonly string[] | undefined;
}

/** Filters by the parts of the destination too. */
export interface AddressFilter extends MessageFilter {
  readonly hosts?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** Filters messages that have not ended. */
export interface LiveFilter extends AddressFilter {
  readonly waitingFor?: readonly WaitReason[] | undefined;
}

export interface LogFilter extends AddressFilter {
  readonly states?: readonly LogState[] | undefined;
  /** Status of the response that the entry describes. */
  readonly statuses?: readonly number[] | undefined;
  /** A text in the error, in any case. */
  readonly errorText?: string | undefined;
}

/** The filters that dead letters of messages and of runs share. */
export interface FailureFilter {
  readonly deadLetterIds?: readonly string[] | undefined;
  /** Status of the last response, 0 for none. */
  readonly statuses?: readonly number[] | undefined;
  /** The text of the last error. */
  readonly errors?: readonly string[] | undefined;
  /** A text in the last error, in any case. */
  readonly errorText?: string | undefined;
  /** Of the destination. */
  readonly hosts?: readonly string[] | undefined;
  /** What they have in common; see causeOf. */
  readonly causes?: readonly string[] | undefined;
}

/** Which dead letters to list; an empty list of values matches none. */
export interface DeadLetterFilter extends MessageFilter, FailureFilter {
  /** Only those of workflow runs, which are otherwise left out. */
  readonly isOfRun?: boolean | undefined;
}

/** True when the filter matches every message. */
export function isOpen(filter: LiveFilter): boolean {
  return Object.values(filter).every((wanted) => wanted === undefined);
}
