import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import type { DeadLetter, DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import type { DeadLetterFilter } from "../../core/model/message/log-filter.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import type { Page, PageRequest } from "./page.ts";

export interface DeadLetterReader {
  /** A message body longer than `bodyBytesMax` is cut. */
  get(key: DeadLetterKey, bodyBytesMax?: number): Promise<StoredDeadLetter | null>;
  list(
    accountId: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<StoredDeadLetter>>;
  /** The keys of those that `list` would show, without what is stored of them. */
  keys(
    accountId: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<DeadLetterKey>>;
  /** The newest dead letters, so many at most, counted by status and cause, the most frequent first. */
  groups(accountId: string, newestMax: number): Promise<readonly DeadLetterGroup[]>;
  /** The same counted by the host of the destination. */
  hosts(accountId: string, newestMax: number): Promise<readonly DeadLetterHost[]>;
}

export interface DeadLetterGroup extends DeadLetterCount {
  /** 0 when there was no response. */
  readonly status: number;
  readonly cause: string;
  /** Null where they have none, or not all the same. */
  readonly error: string | null;
}

export interface DeadLetterHost extends DeadLetterCount {
  readonly host: string;
}

interface DeadLetterCount {
  readonly isOfRun: boolean;
  readonly count: number;
  /** Of all of them together. */
  readonly attempts: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** By the hour in which they failed, the newest first. */
  readonly hours: readonly { readonly at: Instant; readonly count: number }[];
}

export const GROUPED_MAX = 10_000;
export const GROUPS_MAX = 100;

export interface StoredDeadLetter {
  readonly deadLetter: DeadLetter;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
}
