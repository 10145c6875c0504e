import type { DialectName, Instant } from "../message/message.ts";

/** Whoever owns messages. Every key in the store begins with an account's id. */
export interface Account {
  readonly accountId: string;
  readonly defaultDialect: DialectName;
  /** What its plan and its overrides come to; see core/policy/limits/limits.ts. */
  readonly limits: AccountLimits;
  /** Its deliveries wait: it is suspended, or paused. */
  readonly isHalted: boolean;
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
  readonly requestsPerSecondMax: number | null;
  readonly rateLimit: number;
  readonly endpointsPerUrlGroupMax: number;
  readonly urlGroupsMax: number;
  readonly queuesMax: number;
  /** Largest parallelism of a queue. */
  readonly queueParallelismMax: number | null;
  /** Attempts in progress at once in the whole account. */
  readonly parallelismMax: number | null;
  readonly schedulesMax: number;
  readonly retriesMax: number;
  /** Retries of a message without `Svc-Retries`. */
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
  /** When the plan was last changed; 0 for never. */
  readonly planChangedAt: Instant;
  /** Who pays for it: an e-mail address or the name of a team. No two accounts have the same. */
  readonly customerId: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  /** In a month; 0 for no bound. Kept for those who charge for the service. */
  readonly budgetDollars: number;
  /** Its tokens are refused, and nothing of it is sent. */
  readonly isSuspended: boolean;
  /** It goes on as before, except that its deliveries wait. */
  readonly isPaused: boolean;
  /** Null until one is drawn: nobody can sign in to the console with it. */
  readonly passwordHash: string | null;
  readonly tokenHash: string;
  readonly readOnlyTokenHash: string;
  /** Those before the last rotation, as long as they are still taken. */
  readonly previousTokens: PreviousTokens | null;
  /** Encrypted with the service's secret key. */
  readonly signingKeys: SigningKeys;
}

export interface PreviousTokens {
  readonly tokenHash: string;
  readonly readOnlyTokenHash: string;
  readonly until: Instant;
}

export interface SigningKeys {
  readonly current: string;
  readonly next: string;
}
