import type { DialectName } from "./message.ts";

/** Whoever owns messages. Every key in the store begins with an account's id. */
export interface Account {
  readonly accountId: string;
  readonly defaultDialect: DialectName;
  /** What its plan and its overrides come to; see core/rules/limits.ts. */
  readonly limits: AccountLimits;
}

/** Each plan allows at least what the one before it does. */
export const PLANS = ["free", "paid", "svc_fixed_1m", "svc_fixed_10m", "svc_fixed_100m"] as const;
export type PlanName = (typeof PLANS)[number];

/** What an account may do. Null stands for no limit. */
export interface AccountLimits {
  readonly messageBytesMax: number;
  /** Past this, requests are counted and shown, and not refused. */
  readonly requestsPerDaySoft: number | null;
  /** Past this, publishing is refused until the next day (UTC). */
  readonly requestsPerDayHard: number | null;
  /** Of calls that publish nothing. */
  readonly requestsPerSecondMax: number;
  readonly rateLimit: number;
  readonly endpointsPerTopicMax: number;
  readonly topicsMax: number;
  readonly queuesMax: number;
  /** What a queue may ask for as its parallelism. */
  readonly queueParallelismMax: number | null;
  /** Attempts under way at once over the whole account. */
  readonly parallelismMax: number | null;
  readonly schedulesMax: number;
  readonly retriesMax: number;
  /** Retries of a message that does not say. */
  readonly retriesDefault: number;
  readonly delayMsMax: number;
  readonly timeoutMsMax: number;
  readonly deadLettersMax: number | null;
  readonly deadLetterRetentionMs: number;
  readonly logRetentionMs: number;
  /** Bytes of a response body that are kept with a log entry. */
  readonly eventBytesMax: number;
  readonly completionTokensPerDayMax: number;
  readonly completionTokensPerMinuteMax: number;
  readonly completionsPerDayMax: number;
  readonly completionsPerMinuteMax: number;
}

export type LimitOverrides = Partial<AccountLimits>;

/** An account as it is kept. Secrets are hashed, or encrypted where they must be used again. */
export interface AccountRecord extends Account {
  readonly plan: PlanName;
  /** What differs for this account from what its plan allows. */
  readonly overrides: LimitOverrides;
  readonly createdAt: number;
  readonly tokenHash: string;
  readonly readOnlyTokenHash: string;
  /** Encrypted with the service's secret key. */
  readonly signingKeys: SigningKeys;
}

export interface SigningKeys {
  readonly current: string;
  readonly next: string;
}
