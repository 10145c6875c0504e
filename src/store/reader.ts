import type { AccountReader } from "./reader/accounts.ts";
import type { DeadLetterReader } from "./reader/dead-letters.ts";
import type { LineReader } from "./reader/lines.ts";
import type { MessageReader } from "./reader/messages.ts";
import type { RunReader } from "./reader/runs.ts";
import type { ScheduleReader } from "./reader/schedules.ts";
import type { UpkeepReader } from "./reader/upkeep.ts";
import type { UrlGroup, UrlGroupKey } from "../core/model/url-group/url-group.ts";
import type { DeadLetterKey } from "../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../core/model/workflow/dead-run.ts";
import type { Page, PageRequest } from "./reader/page.ts";
import type { Instant } from "../core/model/time.ts";
import type { Waiter, WaiterKey } from "../core/model/workflow/waiter.ts";
import type { ServiceRecord } from "../core/model/account/account.ts";
import type { NodeRecord } from "./node-facts.ts";
import type { BacklogPoint, HostStats, StatPoint, StatStep } from "../core/model/account/stats.ts";

/** What can be read from the store, by noun. Lists read a bounded number of rows. */
export interface Reader {
  readonly messages: MessageReader;
  readonly deadLetters: DeadLetterReader;
  readonly runs: RunReader;
  readonly deadRuns: DeadRunReader;
  readonly waiters: WaiterReader;
  readonly schedules: ScheduleReader;
  readonly lines: LineReader;
  readonly urlGroups: UrlGroupReader;
  readonly accounts: AccountReader;
  readonly stats: StatReader;
  readonly service: ServiceReader;
  readonly upkeep: UpkeepReader;
}

interface UrlGroupReader {
  get(key: UrlGroupKey): Promise<UrlGroup | null>;
  /** All URL groups of an account by name; their number is limited. */
  list(accountId: string): Promise<readonly UrlGroup[]>;
}

/** Failed runs, which are dead letters too. */
interface DeadRunReader {
  get(key: DeadLetterKey): Promise<DeadRun | null>;
  list(accountId: string, filter: DeadRunFilter, page: PageRequest): Promise<Page<DeadRun>>;
  /** The keys of those that `list` would show, without what is stored of them. */
  keys(accountId: string, filter: DeadRunFilter, page: PageRequest): Promise<Page<DeadLetterKey>>;
}

interface WaiterReader {
  /** Waiters for one event in the order of their keys, after the given one. */
  forEvent(
    accountId: string,
    eventId: string,
    after: WaiterKey | null,
    count: number,
  ): Promise<readonly Waiter[]>;
  /** Waiters of all accounts whose deadline has passed, the longest due first. */
  due(now: Instant, count: number): Promise<readonly Waiter[]>;
}

/**
 * Where a write is when its commit is confirmed: on the disk of the only machine, on that of the
 * primary, or on that of a synchronous standby too.
 */
export type Durability = "disk" | "primary" | "standby";

/** What belongs to the service as a whole. */
interface ServiceReader {
  get(): Promise<ServiceRecord>;
  nodes(): Promise<readonly NodeRecord[]>;
  /** What a commit waits for. */
  durability(): Promise<Durability>;
}

interface StatReader {
  /** The steps from one instant to another, oldest first; those in which nothing happened are absent. */
  series(accountId: string, range: StatRange): Promise<readonly StatPoint[]>;
  /** What the account did with each host since an instant, the busiest first. */
  hosts(accountId: string, fromAt: Instant, count: number): Promise<readonly HostStats[]>;
  /** The backlog at the end of each step, oldest first; steps in which nothing waited are absent. */
  backlog(accountId: string, range: StatRange): Promise<readonly BacklogPoint[]>;
}

export interface StatRange {
  readonly step: StatStep;
  readonly fromAt: Instant;
  /** Not included. */
  readonly toAt: Instant;
  /** Only what was done with this host, which is counted by the hour. */
  readonly host?: string | undefined;
}
