import type { DialectName } from "./message.ts";

/** Whoever owns messages. Every key in the store begins with an account's id. */
export interface Account {
  readonly accountId: string;
  readonly defaultDialect: DialectName;
  readonly limits: AccountLimits;
}

export interface AccountLimits {
  readonly messageBytesMax: number;
  readonly retriesMax: number;
  /** Retries of a message that does not say. */
  readonly retriesDefault: number;
  readonly delayMsMax: number;
  readonly timeoutMsMax: number;
  /** Attempts under way at once over the whole account; null for no limit. */
  readonly parallelismMax: number | null;
  /** Bytes of a response body that are kept with a log entry. */
  readonly eventBytesMax: number;
  readonly deadLetterRetentionMs: number;
  readonly logRetentionMs: number;
}

/** An account as it is kept. Secrets are hashed, or encrypted where they must be used again. */
export interface AccountRecord extends Account {
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
