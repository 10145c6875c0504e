/** `npm run reference` writes this file from the schemas of the server. */

export interface SigningKeys {
  /** Verify signatures with it first. */
  readonly current: string;
  /** Verify with it if the current one does not match. */
  readonly next: string;
}

export interface Account {
  /** The name of its owner, such as an address. */
  readonly customer_id: string;
  /** The id of the account. */
  readonly id: string;
  /** Empty, except in the answer that creates or rotates it. */
  readonly password: string;
  /** Empty, except in the answer that creates or rotates it. */
  readonly token: string;
  /** False while the account is suspended. */
  readonly active: boolean;
  readonly state: "active" | "passive";
  readonly modifying_state: "" | "suspended" | "deleting";
  /** Its deliveries wait. */
  readonly paused: boolean;
  /** Headers of messages that were published without a `Svc-` or `Upstash-` header; null for the setting of the server. */
  readonly dialect: "svc" | "upstash" | "both" | null;
  /** Unix seconds. */
  readonly last_plan_upgrade_time: number;
  readonly type: "free" | "paid";
  /** The plan, if it is a fixed one. */
  readonly reserved_type: string;
  /** Always 0. */
  readonly reserved_price: number;
  /** Always false. */
  readonly prod_pack_enabled: boolean;
  /** Always false. */
  readonly prometheus_enabled: string;
  /** The region. */
  readonly region: string;
  /** Dollars a month; 0 for no limit. */
  readonly budget: number;
  /** Who created it. */
  readonly created_by: string;
  /** Unix seconds. */
  readonly creation_time: number;
  /** Bytes of a message's body. */
  readonly max_message_size: number;
  /** Messages in a day (UTC). Past it nothing is refused; the counts show it. */
  readonly max_requests_per_day: number;
  /** Messages in a day (UTC). Past it publishing is refused with 429. */
  readonly max_requests_per_day_hard: number;
  /** Requests in a second that publish nothing, on each node. */
  readonly max_requests_per_second: number;
  /** Endpoints of a URL group. */
  readonly max_endpoints_per_topic: number;
  /** URL groups. */
  readonly max_topics: number;
  /** Queues. */
  readonly max_queues: number;
  /** Largest parallelism of a queue. */
  readonly max_parallelism: number;
  /** Attempts in progress at once in the whole account. */
  readonly max_global_parallelism: number;
  /** Schedules. */
  readonly max_schedules: number;
  /** Largest number of retries of a message. */
  readonly max_retries: number;
  /** Retries of a message without `Svc-Retries`. */
  readonly default_retries: number;
  /** Longest delay of a message, in seconds. */
  readonly max_delay: number;
  /** Longest time of one attempt, in seconds. A message can only shorten it. */
  readonly timeout: number;
  /** Dead letters kept. Past it the oldest are deleted. */
  readonly max_dlq_size: number;
  /** How long a dead letter is kept, in milliseconds. */
  readonly max_dlq_retention_time_milis: number;
  /** How long log entries and ended messages are kept, in days. */
  readonly retention: number;
  /** Bytes of a body kept with a log entry. */
  readonly max_events_size: number;
  /** Live streams (`GET /v2/stream`) at once on one node. Past it they are refused with 429. */
  readonly max_streams: number;
  /** Not used. The limit in effect is max_requests_per_second. */
  readonly rate_limit: number;
  /** Not used. Postrider has no completions. */
  readonly max_completion_tokens_per_day: number;
  /** Not used. Postrider has no completions. */
  readonly max_completion_tokens_per_minute: number;
  /** Not used. Postrider has no completions. */
  readonly max_completions_per_day: number;
  /** Not used. Postrider has no completions. */
  readonly max_completions_per_minute: number;
  /** Limits that differ from those of the plan. */
  readonly limit_overrides: {
    /** Bytes of a message's body. */
    readonly max_message_size?: number;
    /** Messages in a day (UTC). Past it nothing is refused; the counts show it. */
    readonly max_requests_per_day?: number;
    /** Messages in a day (UTC). Past it publishing is refused with 429. */
    readonly max_requests_per_day_hard?: number;
    /** Requests in a second that publish nothing, on each node. */
    readonly max_requests_per_second?: number;
    /** Endpoints of a URL group. */
    readonly max_endpoints_per_topic?: number;
    /** URL groups. */
    readonly max_topics?: number;
    /** Queues. */
    readonly max_queues?: number;
    /** Largest parallelism of a queue. */
    readonly max_parallelism?: number;
    /** Attempts in progress at once in the whole account. */
    readonly max_global_parallelism?: number;
    /** Schedules. */
    readonly max_schedules?: number;
    /** Largest number of retries of a message. */
    readonly max_retries?: number;
    /** Retries of a message without `Svc-Retries`. */
    readonly default_retries?: number;
    /** Longest delay of a message, in seconds. */
    readonly max_delay?: number;
    /** Longest time of one attempt, in seconds. A message can only shorten it. */
    readonly timeout?: number;
    /** Dead letters kept. Past it the oldest are deleted. */
    readonly max_dlq_size?: number;
    /** How long a dead letter is kept, in milliseconds. */
    readonly max_dlq_retention_time_milis?: number;
    /** How long log entries and ended messages are kept, in days. */
    readonly retention?: number;
    /** Bytes of a body kept with a log entry. */
    readonly max_events_size?: number;
    /** Live streams (`GET /v2/stream`) at once on one node. Past it they are refused with 429. */
    readonly max_streams?: number;
    /** Not used. The limit in effect is max_requests_per_second. */
    readonly rate_limit?: number;
    /** Not used. Postrider has no completions. */
    readonly max_completion_tokens_per_day?: number;
    /** Not used. Postrider has no completions. */
    readonly max_completion_tokens_per_minute?: number;
    /** Not used. Postrider has no completions. */
    readonly max_completions_per_day?: number;
    /** Not used. Postrider has no completions. */
    readonly max_completions_per_minute?: number;
  };
  /** Only in the answer that creates or rotates it. */
  readonly read_only_token?: string;
}

export interface OwnAccount extends Account {
  /** What the token may do. */
  readonly access: "full" | "read-only";
  readonly usage: readonly {
    /** The name of the limit. */
    readonly limit: string;
    /** How much of it is used. The count ends at 100,000. */
    readonly used: number;
    /** The limit; null for none. */
    readonly max: number | null;
    /** What it means. */
    readonly says: string;
  }[];
}

export interface Token {
  /** The id of the token. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** What it may do. */
  readonly scope: "full" | "read-only";
  /** When it was added. Unix milliseconds. */
  readonly createdAt: number;
  /** When it was last used; null for never. Unix milliseconds. */
  readonly lastUsedAt: number | null;
  /** When it ends; null for never. Unix milliseconds. */
  readonly expiresAt: number | null;
}

export interface AddedToken extends Token {
  /** The token. It is shown only here. */
  readonly token: string;
}
