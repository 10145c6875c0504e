import {
  type BacklogPoint,
  type HostStats,
  type StatPoint,
  type DailyCount,
  dayOf,
} from "../../core/model/account/stats.ts";
import type { HostQuery, StatQuery } from "../../wire/account/stats.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Store } from "../../store/store.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import type { LimitField } from "../../core/policy/limits/limits.ts";

interface StatsSource {
  readonly store: Store;
  readonly freshStats: FreshStats;
}

export async function readSeries(
  { store, freshStats }: StatsSource,
  accountId: string,
  query: StatQuery,
): Promise<{ points: readonly StatPoint[]; backlog: readonly BacklogPoint[] }> {
  await freshStats.record();
  const { stats } = store.reader;
  const [points, backlog] = await Promise.all([
    stats.series(accountId, query),
    query.host === undefined ? stats.backlog(accountId, query) : [],
  ]);
  return { points, backlog };
}

export async function readHosts(
  { store, freshStats }: StatsSource,
  accountId: string,
  { fromAt, count }: HostQuery,
): Promise<readonly HostStats[]> {
  await freshStats.record();
  return store.reader.stats.hosts(accountId, fromAt, count);
}

const FRESH_MS = 5_000;
const MINUTES_MAX = 100;

/**
 * Writes what this node has counted when a caller wants to see it, so that stats are seconds old
 * while a caller reads them, and are written once a minute otherwise.
 */
export class FreshStats {
  readonly #store: Pick<Store, "recordStats">;
  readonly #clock: Pick<Clock, "monotonic">;
  #recordedAt = -Infinity;
  #recording: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<Store, "recordStats">, clock: Pick<Clock, "monotonic">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A call during a write waits for it; otherwise it would read what was there before. */
  async record(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#recordedAt >= FRESH_MS) {
      this.#recordedAt = now;
      this.#recording = this.#store.recordStats(MINUTES_MAX);
    }
    try {
      await this.#recording;
    } catch (error) {
      this.#recordedAt = -Infinity;
      throw error;
    }
  }
}

/** Recent counts of an account, in whole days (UTC). */
interface AccountStats {
  readonly days: readonly DailyCount[];
  readonly sum: Omit<DailyCount, "day">;
  /** Messages of today, and whether they exceed the soft limit. */
  readonly today: number;
  readonly isOverDailyLimit: boolean;
}

export async function accountStats(
  store: Store,
  { accountId, limits }: AccountRecord,
  now: number,
  periodMs: number,
): Promise<AccountStats> {
  const days = await store.reader.accounts.dailyCounts(accountId, dayOf(now - periodMs));
  const total = (field: keyof DailyCount): number => days.reduce((sum, day) => sum + day[field], 0);
  const today = days.find(({ day }) => day === dayOf(now))?.messages ?? 0;
  return {
    days,
    sum: {
      messages: total("messages"),
      delivered: total("delivered"),
      failed: total("failed"),
      dropped: total("dropped"),
    },
    today,
    isOverDailyLimit: limits.requestsPerDaySoft !== null && today > limits.requestsPerDaySoft,
  };
}

/** How much an account uses of each limit that is a number of things. */
export async function readUsage(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { accountId }: AccountRecord,
): Promise<readonly { readonly field: LimitField; readonly used: number }[]> {
  const { accounts, messages } = store.reader;
  const today = dayOf(clock.now());
  const [{ queues, urlGroups, schedules, deadLetters }, active, [day]] = await Promise.all([
    accounts.usage(accountId),
    messages.underWay(accountId),
    accounts.dailyCounts(accountId, today),
  ]);
  const messagesToday = day?.messages ?? 0;
  return [
    { field: "requestsPerDaySoft", used: messagesToday },
    { field: "requestsPerDayHard", used: messagesToday },
    { field: "parallelismMax", used: active },
    { field: "queuesMax", used: queues },
    { field: "urlGroupsMax", used: urlGroups },
    { field: "schedulesMax", used: schedules },
    { field: "deadLettersMax", used: deadLetters },
  ];
}
