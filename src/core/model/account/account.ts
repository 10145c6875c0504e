import type { DialectChoice } from "../message/message.ts";
import type { Instant } from "../time.ts";

/** The owner of messages. Every key in the store begins with an account's id. */
export interface Account {
  readonly accountId: string;
  /** How messages are delivered that name no dialect; null for the setting of the service. */
  readonly dialect: DialectChoice | null;
  /** The limits of its plan with its overrides; see core/policy/limits/limits.ts. */
  readonly limits: AccountLimits;
  /** Its deliveries wait: it is suspended or paused. */
  readonly isHalted: boolean;
}

/** Each plan allows at least as much as the one before it. */
export const PLANS = ["free", "paid", "svc_fixed_1m", "svc_fixed_10m", "svc_fixed_100m"] as const;
export type PlanName = (typeof PLANS)[number];

/** The limits of an account; null is no limit. */
export interface AccountLimits {
  readonly messageBytesMax: number;
  /** Above it, requests are counted and shown, but not refused. */
  readonly requestsPerDaySoft: number | null;
  /** Above it, publishing is refused until the next day (UTC). */
  readonly requestsPerDayHard: number | null;
  /** Requests that publish nothing. */
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
  /** Bytes of a response body stored with a log entry. */
  readonly eventBytesMax: number;
  /** Live streams at once on one node. */
  readonly streamsMax: number;
  readonly completionTokensPerDayMax: number;
  readonly completionTokensPerMinuteMax: number;
  readonly completionsPerDayMax: number;
  readonly completionsPerMinuteMax: number;
}

export type LimitOverrides = Partial<AccountLimits>;

/** An account as stored. Secrets are hashed, or encrypted where they must be used again. */
export interface AccountRecord extends Account {
  readonly plan: PlanName;
  readonly overrides: LimitOverrides;
  /** When the plan was last changed; 0 for never. */
  readonly planChangedAt: Instant;
  /** The customer: an e-mail address or the name of a team, unique among accounts. */
  readonly customerId: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  /** Per month; 0 for no bound. Stored for the operator's billing. */
  readonly budgetDollars: number;
  /** Its tokens are refused, and its messages are not sent. */
  readonly isSuspended: boolean;
  /** Only its deliveries wait; it can still publish. */
  readonly isPaused: boolean;
  /** Since when it is being deleted, which cannot be undone; it is suspended as well. */
  readonly deletingSince?: Instant | undefined;
  /** Null until a password is generated; without one there is no console sign-in. */
  readonly passwordHash: string | null;
  readonly tokenHash: string;
  readonly readOnlyTokenHash: string;
  /** The tokens before the last rotation, while they are still accepted. */
  readonly previousTokens: PreviousTokens | null;
  /** The further tokens of the account, oldest first; at most NAMED_TOKENS_MAX. */
  readonly namedTokens: readonly NamedToken[];
  /** When each token was last used, by its id; up to a minute behind. */
  readonly tokenUses: Readonly<Record<string, Instant>>;
  /** Encrypted with the service's secret key. */
  readonly signingKeys: SigningKeys;
}

interface PreviousTokens {
  readonly tokenHash: string;
  readonly readOnlyTokenHash: string;
  readonly until: Instant;
}

/** A token that an account made for one purpose, and can revoke alone. */
export interface NamedToken {
  readonly tokenId: string;
  readonly name: string;
  readonly tokenHash: string;
  readonly isReadOnly: boolean;
  readonly createdAt: Instant;
  /** Null for never. */
  readonly expiresAt: Instant | null;
}

/** How much an account has of what a deletion removes. */
export interface AccountContents {
  readonly messages: number;
  readonly runs: number;
  readonly deadLetters: number;
  readonly logEntries: number;
  readonly schedules: number;
  readonly queues: number;
  readonly flowControlKeys: number;
  readonly urlGroups: number;
}

/** The ids of the two tokens that every account has. */
export const MAIN_TOKEN_ID = "main";
export const READ_ONLY_TOKEN_ID = "read-only";
export const NAMED_TOKENS_MAX = 50;

export interface SigningKeys {
  readonly current: string;
  readonly next: string;
}

/** The service's own record, beside those of accounts. */
export interface ServiceRecord {
  /** Null until one is generated, or while the settings name one. */
  readonly operator: Operator | null;
  /** No delivery of any account starts. */
  readonly isPaused: boolean;
  /** The data is on its way to another store, or has gone there. */
  readonly move?: MoveMark;
  /** The id of the move that brought the data here. */
  readonly arrivedBy?: string;
  /** Absent while the secret key is the first one. */
  readonly secretKey?: SecretKeyMark;
}

/** Which secret key encrypts what is stored. */
export interface SecretKeyMark {
  readonly keyId: string;
  /** While it is rotated: the key that has encrypted what is not encrypted again yet. */
  readonly previousId?: string;
}

/** What a move to another store leaves for the nodes and for its own next run. */
export interface MoveMark {
  readonly id: string;
  /** The other store, for people. */
  readonly to: string;
  /** Nodes that see it for the first time start nothing and refuse changes, for a moment. */
  readonly standStill: string | null;
  /** Everything is there: nothing can be written here any more. */
  readonly isMoved: boolean;
}

/** The person who may see and change every account. */
export interface Operator {
  readonly user: string;
  readonly passwordHash: string;
}
