import type { AccountLimits } from "../model/account.ts";
import { Problem } from "../problem.ts";

export type PlanName = "free" | "paid";

/** One limit: what the account record calls it, what each plan allows, and what it means. */
export interface LimitRow<Field extends keyof AccountLimits = keyof AccountLimits> {
  readonly field: Field;
  readonly name: string;
  readonly free: AccountLimits[Field];
  readonly paid: AccountLimits[Field];
  readonly says: string;
}

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const MEBIBYTE = 1024 * 1024;

/** Every limit of an account. A new field does not compile until its row is here. */
export const LIMITS: { readonly [Field in keyof AccountLimits]: LimitRow<Field> } = {
  messageBytesMax: {
    field: "messageBytesMax",
    name: "max_message_size",
    free: MEBIBYTE,
    paid: 10 * MEBIBYTE,
    says: "Bytes of a message's body.",
  },
  retriesMax: {
    field: "retriesMax",
    name: "max_retries",
    free: 999,
    paid: 999,
    says: "Retries that a message may ask for.",
  },
  retriesDefault: {
    field: "retriesDefault",
    name: "default_retries",
    free: 3,
    paid: 5,
    says: "Retries of a message that does not say.",
  },
  delayMsMax: {
    field: "delayMsMax",
    name: "max_delay",
    free: 7 * DAY,
    paid: 365 * DAY,
    says: "How far ahead a message may be delayed.",
  },
  timeoutMsMax: {
    field: "timeoutMsMax",
    name: "timeout",
    free: 900 * SECOND,
    paid: 7_200 * SECOND,
    says: "How long one attempt may take; a message can only shorten it.",
  },
  parallelismMax: {
    field: "parallelismMax",
    name: "max_global_parallelism",
    free: 10,
    paid: 100,
    says: "Attempts under way at once over the whole account.",
  },
  eventBytesMax: {
    field: "eventBytesMax",
    name: "max_events_size",
    free: 10_000,
    paid: 10_000,
    says: "Bytes of a body that are kept with a log entry.",
  },
  deadLetterRetentionMs: {
    field: "deadLetterRetentionMs",
    name: "max_dlq_retention_time_milis",
    free: 3 * DAY,
    paid: 7 * DAY,
    says: "How long a dead letter is kept.",
  },
  logRetentionMs: {
    field: "logRetentionMs",
    name: "retention",
    free: 3 * DAY,
    paid: 7 * DAY,
    says: "How long log entries are kept.",
  },
};

export function limitsOf(plan: PlanName): AccountLimits {
  const limits = Object.values(LIMITS).map((row) => [row.field, row[plan]]);
  return Object.fromEntries(limits) as AccountLimits;
}

/** The account made at first start and those of `dev`: the owner's own, so without a cap. */
export function ownerLimits(): AccountLimits {
  return { ...limitsOf("paid"), parallelismMax: null };
}

/** Refuses what is over a limit, in the words that clients know. */
export function requireWithin(quota: string, value: number, limit: number): void {
  if (value > limit) {
    throw new Problem("quota-exceeded", `quota ${quota} exceeded, current limit: ${limit}`);
  }
}
