/** `npm run reference` writes this file from the schemas of the server. */

export interface AccountStats {
  /** The period. */
  readonly period: string;
  /** Messages created. */
  readonly messages: number;
  /** Messages delivered. */
  readonly delivered: number;
  /** Messages that became dead letters. */
  readonly failed: number;
  /** Dead letters deleted because there were too many. */
  readonly dropped: number;
  /** Messages of today. */
  readonly daily_requests: number;
  /** Today's messages exceed max_requests_per_day. */
  readonly over_daily_limit: boolean;
  readonly days: readonly {
    /** The day (UTC). */
    readonly day: string;
    /** Messages created. */
    readonly messages: number;
    /** Messages delivered. */
    readonly delivered: number;
    /** Messages that became dead letters. */
    readonly failed: number;
    /** Dead letters deleted because there were too many. */
    readonly dropped: number;
  }[];
}

export interface AccountDeletion {
  /** The id of the account. */
  readonly id: string;
  /** The name of its owner. */
  readonly customer_id: string;
  /** It is being deleted; the counts are what is left. */
  readonly deleting: boolean;
  readonly counts: {
    /** Messages, also those that have ended. The count ends at 100,000. */
    readonly messages: number;
    /** Runs of workflows. The count ends at 100,000. */
    readonly runs: number;
    /** Dead letters. The count ends at 100,000. */
    readonly dead_letters: number;
    /** Entries of the log. The count ends at 100,000. */
    readonly log_entries: number;
    /** Schedules. The count ends at 100,000. */
    readonly schedules: number;
    /** Queues. The count ends at 100,000. */
    readonly queues: number;
    /** Flow-control keys. The count ends at 100,000. */
    readonly flow_control_keys: number;
    /** URL groups. The count ends at 100,000. */
    readonly url_groups: number;
  };
}

export interface Session {
  readonly kind: "account" | "operator";
  /** Null for the operator. */
  readonly accountId: string | null;
  /** The owner of the account, or the operator. */
  readonly name: string;
  /** What the session may do. */
  readonly scope: "full" | "read-only";
  /** Signed in with the main token or the password: may manage tokens and signing keys. */
  readonly isOwner: boolean;
  /** The server runs as `dev`. */
  readonly isDev: boolean;
  /** The version of Postrider. */
  readonly version: string;
}
