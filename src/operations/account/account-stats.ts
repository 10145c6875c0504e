import type { AccountRecord } from "../../core/model/account/account.ts";
import { type DailyCount, dayOf } from "../../core/model/account/daily-count.ts";
import type { Store } from "../../store/store.ts";

/** Recent counts of an account, in whole days (UTC). */
export interface AccountStats {
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
