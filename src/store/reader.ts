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

/** What can be read from the store. Lists read a bounded number of rows. */
export interface Reader {
  account(accountId: string): Promise<AccountRecord | null>;
  /** The account whose token, or read-only token, has or lately had this hash. */
  accountByToken(tokenHash: string): Promise<AccountRecord | null>;
  accountByCustomer(customerId: string): Promise<AccountRecord | null>;
  /** Accounts of the service by id, after the given one. */
  accounts(after: string, count: number): Promise<readonly AccountRecord[]>;
  /** The lines in which messages of an account wait or waited, by name, after the given one. */
  accountLines(accountId: string, after: string, count: number): Promise<readonly string[]>;
  service(): Promise<ServiceRecord>;
  /** Every node that has a row; one that ended keeps it until another takes over. */
  nodes(): Promise<readonly NodeRecord[]>;

  /** A body longer than `bodyBytesMax` is cut. */
  message(key: MessageKey, bodyBytesMax?: number): Promise<StoredMessage | null>;
  /** `count` bytes of a message's body, starting at `from`; null when the message is gone. */
  bodyPart(key: MessageKey, from: number, count: number): Promise<Uint8Array | null>;
  /** The greatest id of the messages that have not ended; null when there are none. */
  lastLiveMessage(accountId: string): Promise<string | null>;
  /** Ids of messages that have neither ended nor been canceled, in order. */
  liveMessages(accountId: string, filter: AddressFilter, range: LiveRange): Promise<Page<string>>;
  /**
   * The newest state of each message in its log, in the given order; null when the log has none.
   */
  lastStates(
    accountId: string,
    messageIds: readonly string[],
  ): Promise<readonly (LogState | null)[]>;
  log(accountId: string, filter: LogFilter, page: PageRequest): Promise<Page<LoggedMessage>>;

  /** A message body longer than `bodyBytesMax` is cut. */
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
  /** All URL groups of an account by name; their number is limited. */
  urlGroups(accountId: string): Promise<readonly UrlGroup[]>;

  schedule(key: ScheduleKey): Promise<StoredSchedule | null>;
  /** An account's schedules by id, after the given one; at least one. */
  schedules(
    accountId: string,
    after: string,
    count: number,
    bytesMax: number,
  ): Promise<readonly StoredSchedule[]>;
  /** Due schedules of all accounts, the longest due first; at least one. */
  dueSchedules(
    now: Instant,
    after: ScheduleCursor,
    count: number,
    bytesMax: number,
  ): Promise<readonly StoredSchedule[]>;
  /**
   * Schedules of all accounts, without their bodies, that are due after the cursor, soonest first.
   */
  laterSchedules(after: ScheduleCursor, count: number): Promise<readonly Schedule[]>;
  /** When the next schedule is due; null when none ever will be. */
  nextScheduleAt(): Promise<Instant | null>;

  lineSetting(key: LineKey): Promise<LineSetting | null>;
  /** In the order of the keys. */
  areLinesSet(keys: readonly LineKey[]): Promise<readonly boolean[]>;
  /** A line's settings and its load at that instant; null when it has no settings. */
  line(key: LineKey, now: Instant): Promise<LineReport | null>;
  /** Lines whose names begin with the prefix and contain the text, by name. */
  lines(
    accountId: string,
    prefix: string,
    search: string,
    count: number,
    now: Instant,
  ): Promise<readonly LineReport[]>;
  countQueues(accountId: string): Promise<number>;
  /** The position of the last message in a queue; 0 when it is empty. */
  lastPosition(key: LineKey): Promise<number>;
  /** Messages of a queue that have neither ended nor been canceled, up to a position. */
  queued(key: LineKey, upTo: number, count: number): Promise<readonly MessageKey[]>;
  /** How many attempts of an account are under way. */
  underWay(accountId: string): Promise<number>;

  run(ref: RunRef): Promise<StoredRun | null>;
  /**
   * All entries of a run in order, or those after an ordinal up to `bytesMax`, and at least one.
   */
  runEntries(key: RunKey, after?: number, bytesMax?: number): Promise<readonly RunEntry[]>;
  /** Whether a step that happens once in a run has happened; see step.ts. */
  hasRunStep(key: RunKey, stepKey: string): Promise<boolean>;
  /** Runs that have not ended, by id, after the given one. */
  activeRuns(
    accountId: string,
    filter: RunFilter,
    after: string,
    count: number,
  ): Promise<Page<RunState>>;
  /** Runs by creation time. A page ends early when their histories are too large. */
  runs(accountId: string, filter: RunLogFilter, page: PageRequest): Promise<Page<StoredRun>>;
  /** All that is stored of what a run did; longer bodies of its calls are cut. */
  runHistory(state: RunState, bodyBytesMax: number): Promise<RunHistory>;
  /** Waiters for one event in the order of their keys, after the given one. */
  waiters(
    accountId: string,
    eventId: string,
    after: WaiterKey | null,
    count: number,
  ): Promise<readonly Waiter[]>;
  /** Waiters of all accounts whose deadline has passed, the longest due first. */
  dueWaiters(now: Instant, count: number): Promise<readonly Waiter[]>;
  /** When the next deadline is; null when there is no waiter. */
  nextDeadlineAt(): Promise<Instant | null>;

  /** Leases of a node that are older than an instant. */
  leases(nodeId: string, leasedBefore: number): Promise<readonly Lease[]>;
  /** When the first message and the first dead letter of each account were created. */
  oldest(accountIds: readonly string[]): Promise<readonly Oldest[]>;
  /**
   * The dead letter `count` entries older than another, or than the newest; null when there are
   * fewer.
   */
  olderDeadLetter(
    accountId: string,
    than: DeadLetterKey | null,
    steps: number,
  ): Promise<DeadLetterKey | null>;
  /** From a day on, oldest first; days without any count are left out. */
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
  /** What is left of a failed message until it is removed or retried. */
  readonly deadLetter: DeadLetter | null;
}

export interface StoredRun {
  readonly state: RunState;
  /** What the workflow returned; null unless it has completed. */
  readonly response: Uint8Array | null;
}

/** A cursor into the schedules, in the order in which they are due. */
export interface ScheduleCursor extends ScheduleKey {
  readonly nextAt: Instant;
}

/** Before the first schedule. */
export const BEFORE_FIRST_SCHEDULE: ScheduleCursor = { nextAt: 0, accountId: "", scheduleId: "" };

export interface StoredSchedule {
  readonly schedule: Schedule;
  readonly body: Uint8Array;
}

export interface LoggedMessage {
  readonly entry: LogEntry;
  readonly message: Message;
  readonly body: Uint8Array;
  /** The attempt that an ERROR or DELIVERED entry describes. */
  readonly attempt: AttemptRecord | null;
}

export interface StoredDeadLetter {
  readonly deadLetter: DeadLetter;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
}

export interface PageRequest {
  /** Where the previous page ended; null for the first. */
  readonly after: string | null;
  readonly count: number;
  readonly order: "latestFirst" | "earliestFirst";
  /** Longer bodies are cut in lists of log entries. */
  readonly bodyBytesMax?: number;
  /** Reserves memory for an entry that is larger than a page. */
  readonly reserve?: ((bytes: number) => Promise<void>) | undefined;
}

/** A part of a page. Long lists are read in parts, so that the lists of all accounts take turns. */
export interface SliceRequest extends Omit<PageRequest, "reserve"> {
  /** Rows to read. */
  readonly rowsMax: number;
  /** Bytes of bodies that fit. */
  readonly bytesMax: number;
}

export interface Slice<Item> {
  readonly items: readonly Item[];
  /** The cursor of the last row that was read; the start of the slice when none was. */
  readonly last: string | null;
  readonly rowsRead: number;
  /** The bytes of its items' bodies. */
  readonly bytes: number;
  /** Why it ended: no rows are left, enough were read, or the page is full. */
  readonly end: "no more rows" | "rows" | "page full";
  /** The bytes of an entry that did not fit; 0 when all did. */
  readonly missingBytes: number;
}

/** Which ids to read. */
export interface LiveRange {
  /** Where the previous page ended; an empty text for the first. */
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

export interface Size {
  /** Null when the database does not tell used from reusable space. */
  readonly usedBytes: number | null;
}

/** A list reads about this many rows, then returns what it found and where to continue. */
export const ROWS_READ_MAX = 20_000;
/** After this many rows other lists get their turn. */
export const SLICE_ROWS_MAX = 1_000;
/** Fewer where each row is read with its facts, and the caller does not need a full page. */
export const LIVE_ROWS_READ_MAX = 2_000;
/** A page ends early rather than hold more bytes of bodies; at least one entry. */
export const PAGE_BYTES_MAX = 4 * 1024 * 1024;
export const LOG_BODY_BYTES_MAX = 10_000;
/** A body that is shown alone is read in parts of this size, a multiple of base64's groups. */
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
