import type { MoveMark, SecretKeyMark } from "../../core/model/account/account.ts";
import type { BacklogCount } from "../../core/model/account/stats.ts";
import type { DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import type { Lease } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";

/** What the engine reads of all accounts to look after them. */
export interface UpkeepReader {
  leases(nodeId: string, leasedBefore: number): Promise<readonly Lease[]>;
  /** When the first message and the first dead letter of each account were created. */
  oldest(accountIds: readonly string[]): Promise<readonly Oldest[]>;
  /** The dead letter `steps` entries older than another, or than the newest; null for none. */
  olderDeadLetter(
    accountId: string,
    than: DeadLetterKey | null,
    steps: number,
  ): Promise<DeadLetterKey | null>;
  logEnd(): Promise<LogEnd>;
  counts(): Promise<Counts>;
  upcoming(): Promise<Upcoming>;
  /** What is left to do at an instant, which is the second in due time. */
  agenda(now: Instant, dueAt: Instant): Promise<Agenda>;
  /** When the backlog was last counted, to the minute, by any node; null for never. */
  backlogCountedAt(): Promise<Instant | null>;
  /** What waits in each account, by ready times in due time; at most so many accounts. */
  countBacklog(now: Instant, accountsMax: number): Promise<readonly BacklogCount[]>;
  size(): Promise<Size>;
}

export interface Oldest {
  readonly accountId: string;
  /** Null when the account has none. */
  readonly messageAt: Instant | null;
  readonly deadLetterAt: Instant | null;
}

export interface LogEnd {
  /** No entry has a greater number yet. */
  readonly number: number;
  /** Null when entries are committed in the order of their numbers. */
  readonly writes: RunningWrites | null;
}

/** Transactions that may have taken numbers of the log. Their own numbers grow. */
export interface RunningWrites {
  /** The oldest that is under way; `next` when none is. */
  readonly oldest: number;
  /** The number that the next one gets. */
  readonly next: number;
}

/** What the engine does next on time. */
export interface Upcoming {
  /** When the first wait of a run times out, in due time; null when none waits. */
  readonly waitEndsAt: Instant | null;
  /** When the first schedule fires; null when there is none. */
  readonly tickAt: Instant | null;
  /** The operator has paused all deliveries. */
  readonly isPaused: boolean;
  /** A move of the data to another store; null for none. */
  readonly move: MoveMark | null;
  /** Null while the secret key is the first one. */
  readonly secretKey: SecretKeyMark | null;
}

export interface Agenda {
  /** Messages that a node has leased. */
  readonly underWay: number;
  /** Lines, waits and schedules that are due. */
  readonly due: number;
  /** When the next line or wait is due, in due time; null when there is none. */
  readonly workAt: Instant | null;
  /** When the next schedule fires; null when there is none. */
  readonly tickAt: Instant | null;
}

export interface Counts {
  readonly waiting: number;
  readonly active: number;
}

export interface Size {
  /** Null when the database does not tell used from reusable space. */
  readonly usedBytes: number | null;
}
