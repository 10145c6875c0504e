import type { AccountLimits } from "../../model/account/account.ts";

/** One limit: its name in the account record, its value in each plan, and its meaning. */
export interface LimitRow<Field extends keyof AccountLimits = keyof AccountLimits> {
  readonly name: string;
  /** How many internal units make one unit of the account record; 1 when absent. */
  readonly unit?: number;
  /** In the order of PLANS. */
  readonly values: readonly [
    free: AccountLimits[Field],
    paid: AccountLimits[Field],
    fixed1m: AccountLimits[Field],
    fixed10m: AccountLimits[Field],
    fixed100m: AccountLimits[Field],
  ];
  /** An account may have no such limit. */
  readonly mayBeNone?: boolean;
  /** The smallest override, in the unit of the account record. */
  readonly min?: number;
  readonly max?: number;
  readonly says: string;
}

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const MEBIBYTE = 1024 * 1024;
const MILLION = 1_000_000;
/** The longest delay: as many seconds as the account record's number can hold. */
const FOREVER_SECONDS = 2_147_483_647;
const TEN_YEARS_MS = 3_650 * DAY;

/**
 * Every limit of an account. A new field does not compile until its row is here. Those that clients
 * expect in the account record and the service does not use come last.
 */
export const LIMITS: { readonly [Field in keyof AccountLimits]: LimitRow<Field> } = {
  messageBytesMax: {
    name: "max_message_size",
    values: [MEBIBYTE, 10 * MEBIBYTE, 50 * MEBIBYTE, 50 * MEBIBYTE, 50 * MEBIBYTE],
    max: 50 * MEBIBYTE,
    says: "Bytes of a message's body.",
  },
  requestsPerDaySoft: {
    name: "max_requests_per_day",
    values: [1_000, MILLION / 2, MILLION, 10 * MILLION, 100 * MILLION],
    mayBeNone: true,
    says: "Messages in a day (UTC). Past it nothing is refused; the counts show it.",
  },
  requestsPerDayHard: {
    name: "max_requests_per_day_hard",
    values: [1_000, 5 * MILLION, 10 * MILLION, 100 * MILLION, 1_000 * MILLION],
    mayBeNone: true,
    says: "Messages in a day (UTC). Past it publishing is refused with 429.",
  },
  requestsPerSecondMax: {
    name: "max_requests_per_second",
    values: [100, 100, 500, 1_000, 2_000],
    mayBeNone: true,
    min: 1,
    says: "Requests in a second that publish nothing, on each node.",
  },
  endpointsPerUrlGroupMax: {
    name: "max_endpoints_per_topic",
    values: [100, 100, 1_000, 1_000, 1_000],
    max: 1_000,
    says: "Endpoints of a URL group.",
  },
  urlGroupsMax: {
    name: "max_topics",
    values: [1, 100, 1_000, 3_000, 10_000],
    says: "URL groups.",
  },
  queuesMax: {
    name: "max_queues",
    values: [10, 100, 1_000, 3_000, 10_000],
    says: "Queues.",
  },
  queueParallelismMax: {
    name: "max_parallelism",
    values: [2, 10, 10, 50, 100],
    mayBeNone: true,
    min: 1,
    says: "Largest parallelism of a queue.",
  },
  parallelismMax: {
    name: "max_global_parallelism",
    values: [10, 100, 200, 1_000, 2_000],
    mayBeNone: true,
    min: 1,
    says: "Attempts in progress at once in the whole account.",
  },
  schedulesMax: {
    name: "max_schedules",
    values: [10, 1_000, MILLION, MILLION, MILLION],
    says: "Schedules.",
  },
  retriesMax: {
    name: "max_retries",
    values: [999, 999, 999, 999, 999],
    max: 999,
    says: "Largest number of retries of a message.",
  },
  retriesDefault: {
    name: "default_retries",
    values: [3, 5, 5, 5, 5],
    max: 999,
    says: "Retries of a message without `Svc-Retries`.",
  },
  delayMsMax: {
    name: "max_delay",
    unit: SECOND,
    values: [7 * DAY, 365 * DAY, ...three(FOREVER_SECONDS * SECOND)],
    says: "Longest delay of a message, in seconds.",
  },
  timeoutMsMax: {
    name: "timeout",
    unit: SECOND,
    values: [900 * SECOND, 7_200 * SECOND, 21_600 * SECOND, 43_200 * SECOND, 43_200 * SECOND],
    min: 1,
    max: 86_400,
    says: "Longest time of one attempt, in seconds. A message can only shorten it.",
  },
  deadLettersMax: {
    name: "max_dlq_size",
    values: [MILLION, 10 * MILLION, ...three(null)],
    mayBeNone: true,
    min: 1,
    says: "Dead letters kept. Past it the oldest are deleted.",
  },
  deadLetterRetentionMs: {
    name: "max_dlq_retention_time_milis",
    values: [3 * DAY, 7 * DAY, 30 * DAY, 90 * DAY, 90 * DAY],
    min: 60 * SECOND,
    max: TEN_YEARS_MS,
    says: "How long a dead letter is kept, in milliseconds.",
  },
  logRetentionMs: {
    name: "retention",
    unit: DAY,
    values: [3 * DAY, 7 * DAY, 7 * DAY, 14 * DAY, 30 * DAY],
    min: 1,
    max: 3_650,
    says: "How long log entries and ended messages are kept, in days.",
  },
  eventBytesMax: {
    name: "max_events_size",
    values: [10_000, 10_000, 100_000, 100_000, 100_000],
    max: MEBIBYTE,
    says: "Bytes of a body kept with a log entry.",
  },
  streamsMax: {
    name: "max_streams",
    values: [5, 20, 20, 50, 100],
    max: 200,
    says: "Live streams (`GET /v2/stream`) at once on one node. Past it they are refused with 429.",
  },
  rateLimit: {
    name: "rate_limit",
    values: [20, 50, 100, 200, 400],
    says: "Not used. The limit in effect is max_requests_per_second.",
  },
  completionTokensPerDayMax: {
    name: "max_completion_tokens_per_day",
    values: [1_000, 5_000, 10_000, 100_000, MILLION],
    says: "Not used. Postrider has no completions.",
  },
  completionTokensPerMinuteMax: {
    name: "max_completion_tokens_per_minute",
    values: [100, 500, 1_000, 10_000, 100_000],
    says: "Not used. Postrider has no completions.",
  },
  completionsPerDayMax: {
    name: "max_completions_per_day",
    values: [10, 50, 100, 1_000, 10_000],
    says: "Not used. Postrider has no completions.",
  },
  completionsPerMinuteMax: {
    name: "max_completions_per_minute",
    values: [1, 5, 10, 100, 1_000],
    says: "Not used. Postrider has no completions.",
  },
};

/** The same for the three fixed plans. */
function three<Value>(value: Value): [Value, Value, Value] {
  return [value, value, value];
}
