import type { AccountRecord } from "../core/model/account/account.ts";
import type { AttemptRecord } from "../core/model/message/attempt.ts";
import type { DailyCount } from "../core/model/account/daily-count.ts";
import type { DeadLetter, DeadLetterKey } from "../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../core/model/workflow/dead-run.ts";
import type { DeadLetterFilter } from "../core/model/message/dead-letter-filter.ts";
import type { LogEntry, LogState } from "../core/model/message/log-entry.ts";
import type { LineKey, LineReport, LineSetting } from "../core/model/line/line-setting.ts";
import type { AddressFilter, LogFilter } from "../core/model/message/log-filter.ts";
import type { Instant, Message, MessageKey } from "../core/model/message/message.ts";
import type { Lease, MessageState } from "../core/model/message/message-state.ts";
import type { ServiceRecord } from "../core/model/account/service-record.ts";
import type { RunEntry } from "../core/model/workflow/run-entry.ts";
import type { RunFilter } from "../core/model/workflow/run-filter.ts";
import type { RunHistory } from "../core/model/workflow/run-history.ts";
import type { RunLogFilter } from "../core/model/workflow/run-log-filter.ts";
import type { RunKey, RunState } from "../core/model/workflow/run.ts";
import type { Schedule, ScheduleKey } from "../core/model/schedule/schedule.ts";
import type { UrlGroup, UrlGroupKey } from "../core/model/url-group/url-group.ts";
import type { Waiter, WaiterKey } from "../core/model/workflow/waiter.ts";
import type { RunRef } from "../core/acts/run.ts";

/** What can be asked of the store without changing it. Lists look at a bounded number of rows. */
export interface Reader {
  account(accountId: string): Promise<AccountRecord | null>;
  /** The account whose token, or read-only token, has or lately had this hash. */
  accountByToken(tokenHash: string): Promise<AccountRecord | null>;
  accountByCustomer(customerId: string): Promise<AccountRecord | null>;
  /** All accounts by id, after one of them. */
  accounts(after: string, count: number): Promise<readonly AccountRecord[]>;
  /** The lines in which messages of an account wait or waited, by name, after one of them. */
  accountLines(accountId: string, after: string, count: number): Promise<readonly string[]>;
  service(): Promise<ServiceRecord>;
  /** Every node that has a row; one that ended keeps it until another takes over. */
  nodes(): Promise<readonly NodeRecord[]>;

  /** A body that is longer than wanted is cut. */
  message(key: MessageKey, bodyBytesMax?: number): Promise<StoredMessage | null>;
  /** So many bytes of a message's body, from one of them on; null when the message is gone. */
  bodyPart(key: MessageKey, from: number, count: number): Promise<Uint8Array | null>;
  /** The greatest id of the messages that have not ended; null when there are none. */
  lastLiveMessage(accountId: string): Promise<string | null>;
  /** Ids of messages that have not ended, and that nobody has cancelled, by id. */
  liveMessages(accountId: string, filter: AddressFilter, range: LiveRange): Promise<Page<string>>;
  /** The last thing that the log says of messages, in their order; null when it has forgotten. */
  lastStates(
    accountId: string,
    messageIds: readonly string[],
  ): Promise<readonly (LogState | null)[]>;
  log(accountId: string, filter: LogFilter, page: PageRequest): Promise<Page<LoggedMessage>>;

  /** A message body that is longer than wanted is cut. */
  deadLetter(key: DeadLetterKey, bodyBytesMax?: number): Promise<StoredDeadLetter | null>;
  deadLetters(
    accountId: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<StoredDeadLetter>>;

  /** Failed runs, which are dead letters too. */
  deadRun(key: DeadLetterKey): Promise<DeadRun | null>;
  deadRuns(accountId: string, filter: DeadRunFilter, page: PageRequest): Promise<Page<DeadRun>>;

  urlGroup(key: UrlGroupKey): Promise<UrlGroup | null>;
  /** All of an account's, by name; how many there may be is limited. */
  urlGroups(accountId: string): Promise<readonly UrlGroup[]>;

  schedule(key: ScheduleKey): Promise<StoredSchedule | null>;
  /** An account's by id, after one of them; one is always allowed. */
  schedules(
    accountId: string,
    after: string,
    count: number,
    bytesMax: number,
  ): Promise<readonly StoredSchedule[]>;
  /** Of all accounts, those that are to fire, the longest due first; one is always allowed. */
  dueSchedules(
    now: Instant,
    after: SchedulePlace,
    count: number,
    bytesMax: number,
  ): Promise<readonly StoredSchedule[]>;
  /** Of all accounts, without their bodies, those that fire after an instant, soonest first. */
  laterSchedules(after: SchedulePlace, count: number): Promise<readonly Schedule[]>;
  /** When the next one is to fire; null when none ever will. */
  nextScheduleAt(): Promise<Instant | null>;

  lineSetting(key: LineKey): Promise<LineSetting | null>;
  /** In the order of the keys. */
  areLinesSet(keys: readonly LineKey[]): Promise<readonly boolean[]>;
  /** A line and how it stands at that instant; null when nobody has set it. */
  line(key: LineKey, now: Instant): Promise<LineReport | null>;
  /** Lines whose names begin with the prefix and hold the text, by name. */
  lines(
    accountId: string,
    prefix: string,
    search: string,
    count: number,
    now: Instant,
  ): Promise<readonly LineReport[]>;
  countQueues(accountId: string): Promise<number>;
  /** The place of the last message in a queue; 0 when it is empty. */
  lastPosition(key: LineKey): Promise<number>;
  /** Messages of a queue that have not ended and are not being cancelled, up to a place in it. */
  queued(key: LineKey, upTo: number, count: number): Promise<readonly MessageKey[]>;
  /** Attempts that an account has under way. */
  underWay(accountId: string): Promise<number>;

  run(ref: RunRef): Promise<StoredRun | null>;
  /** All of a run's, in their order; those after an ordinal, as far as there is room, and one in any case. */
  runEntries(key: RunKey, after?: number, bytesMax?: number): Promise<readonly RunEntry[]>;
  /** Whether something that happens in a run once has happened; see step.ts. */
  hasRunStep(key: RunKey, stepKey: string): Promise<boolean>;
  /** Runs that have not ended, by id, after one of them. */
  activeRuns(
    accountId: string,
    filter: RunFilter,
    after: string,
    count: number,
  ): Promise<Page<RunState>>;
  /** Runs by when they were made. A page ends early when what they did takes up too much. */
  runs(accountId: string, filter: RunLogFilter, page: PageRequest): Promise<Page<StoredRun>>;
  /** All that is kept of what a run did; longer bodies of its calls are cut. */
  runHistory(state: RunState, bodyBytesMax: number): Promise<RunHistory>;
  /** Of one event, in the order of their keys, after one of them. */
  waiters(
    accountId: string,
    eventId: string,
    after: WaiterKey | null,
    count: number,
  ): Promise<readonly Waiter[]>;
  /** Of all accounts, those whose deadline has passed, the longest due first. */
  dueWaiters(now: Instant, count: number): Promise<readonly Waiter[]>;
  /** When the next deadline is; null when nobody waits. */
  nextDeadlineAt(): Promise<Instant | null>;

  /** Leases in a node's name that are older than an instant. */
  leases(nodeId: string, leasedBefore: number): Promise<readonly Lease[]>;
  /** When the first message and the first dead letter of each account were made. */
  oldest(accountIds: readonly string[]): Promise<readonly Oldest[]>;
  /** The dead letter so many places before another, or before the end; null when there are fewer. */
  olderDeadLetter(
    accountId: string,
    than: DeadLetterKey | null,
    steps: number,
  ): Promise<DeadLetterKey | null>;
  /** From a day on, oldest first; days on which nothing happened are left out. */
  dailyCounts(accountId: string, fromDay: number): Promise<readonly DailyCount[]>;
  counts(): Promise<Counts>;
  size(): Promise<Size>;
}

export interface StoredMessage {
  readonly message: Message;
  readonly body: Uint8Array;
  /** Null when it has ended. */
  readonly state: MessageState | null;
  readonly lastEntry: LogEntry | null;
  /** What is left of it when it has failed, until that is removed or retried. */
  readonly deadLetter: DeadLetter | null;
}

export interface StoredRun {
  readonly state: RunState;
  /** What the workflow returned; null unless it has come to its end. */
  readonly response: Uint8Array | null;
}

/** Where a walk through the schedules has come to, in the order in which they fire. */
export interface SchedulePlace extends ScheduleKey {
  readonly nextAt: Instant;
}

/** Before the first of them. */
export const FIRST_PLACE: SchedulePlace = { nextAt: 0, accountId: "", scheduleId: "" };

export interface StoredSchedule {
  readonly schedule: Schedule;
  readonly body: Uint8Array;
}

export interface LoggedMessage {
  readonly entry: LogEntry;
  readonly message: Message;
  readonly body: Uint8Array;
  /** The attempt an ERROR or DELIVERED entry tells of. */
  readonly attempt: AttemptRecord | null;
}

export interface StoredDeadLetter {
  readonly deadLetter: DeadLetter;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
}

export interface PageRequest {
  /** Where the page before ended; null for the first. */
  readonly after: string | null;
  readonly count: number;
  readonly order: "latestFirst" | "earliestFirst";
  /** Longer bodies are cut in lists of log entries. */
  readonly bodyBytesMax?: number;
  /** Asks for room for an entry that is larger than a page. */
  readonly reserve?: ((bytes: number) => Promise<void>) | undefined;
}

/** A part of a page. Long lists are read in parts, so that the lists of all accounts take turns. */
export interface SliceRequest extends Omit<PageRequest, "reserve"> {
  /** Rows to look at. */
  readonly rowsMax: number;
  /** Bytes of bodies that there is room for. */
  readonly bytesMax: number;
}

export interface Slice<Item> {
  readonly items: readonly Item[];
  /** The place of the last row that was looked at; where the slice started when it was none. */
  readonly last: string | null;
  readonly rowsLookedAt: number;
  /** What the bodies of its items take up. */
  readonly bytes: number;
  /** Why it ended: no rows are left, enough were looked at, or the page is full. */
  readonly end: "no more rows" | "rows" | "page full";
  /** The bytes of an entry for which there was no room; 0 when there was room for all. */
  readonly missingBytes: number;
}

/** Which ids to look at. */
export interface LiveRange {
  /** Where the page before ended; an empty text for the first. */
  readonly after: string;
  readonly upTo: string;
  readonly count: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts; null when there is nothing more. */
  readonly next: string | null;
}

export interface Oldest {
  readonly accountId: string;
  /** Null when the account has none. */
  readonly messageAt: Instant | null;
  readonly deadLetterAt: Instant | null;
}

export interface Counts {
  readonly waiting: number;
  readonly active: number;
}

/** How much room things take. */
export interface Size {
  /** Null where the database does not say what is in use and what is free to be used again. */
  readonly usedBytes: number | null;
}

/** A list looks at about this many rows, then answers what it found and where to go on. */
export const ROWS_LOOKED_AT_MAX = 20_000;
/** After so many of them other lists have their turn. */
export const SLICE_ROWS_MAX = 1_000;
/** Fewer where each row is read with its facts, and nobody waits for a whole page. */
export const LIVE_ROWS_LOOKED_AT_MAX = 2_000;
/** A page ends early rather than hold more bytes of bodies; one entry is always allowed. */
export const PAGE_BYTES_MAX = 4 * 1024 * 1024;
export const LOG_BODY_BYTES_MAX = 10_000;
/** A body that is shown alone is read in parts of this size, of which base64 makes whole groups. */
export const BODY_PART_BYTES = 768 * 1024;
/** More than any body has. */
export const WHOLE_BODY_BYTES = 2 ** 31 - 2;

export interface NodeRecord {
  readonly nodeId: string;
  /** In due time. */
  readonly renewedAt: Instant;
  /** It starts no delivery. */
  readonly isPaused: boolean;
}
