import type { AccountContents, AccountRecord } from "../../core/model/account/account.ts";
import type { DailyCount } from "../../core/model/account/stats.ts";

export interface AccountReader {
  get(accountId: string): Promise<AccountRecord | null>;
  /** In the order of the ids. */
  getAll(accountIds: readonly string[]): Promise<readonly (AccountRecord | null)[]>;
  /** The accounts whose token, or read-only token, has or lately had these hashes, in their order. */
  byTokens(tokenHashes: readonly string[]): Promise<readonly (AccountRecord | null)[]>;
  byCustomer(customerId: string): Promise<AccountRecord | null>;
  /** Accounts of the service by id, after the given one. */
  list(after: string, count: number): Promise<readonly AccountRecord[]>;
  /** From a day on, oldest first; days without any count are left out. */
  dailyCounts(accountId: string, fromDay: number): Promise<readonly DailyCount[]>;
  usage(accountId: string): Promise<AccountUsage>;
  /** Counts end at USAGE_MAX. */
  contents(accountId: string): Promise<AccountContents>;
}

/** How much an account has of what its plan limits. Counts end at USAGE_MAX. */
export interface AccountUsage {
  readonly queues: number;
  readonly urlGroups: number;
  readonly schedules: number;
  readonly deadLetters: number;
}

export const USAGE_MAX = 100_000;
