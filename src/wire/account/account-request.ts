import { type LimitOverrides, type PlanName, PLANS } from "../../core/model/account/account.ts";
import { DIALECT_CHOICES } from "../../core/model/message/message.ts";
import { LIMITS } from "../../core/policy/limits/limit-table.ts";
import { LIMIT_FIELDS, type LimitField, readLimit } from "../../core/policy/limits/limits.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import { type IdPage, readIdPage, readParameters, single } from "../filters/filter-parameters.ts";
import { shownName } from "../../core/shown-name.ts";
import { invalidRequest } from "../headers/header-value.ts";
import { bodyReader } from "../json/schema-reader.ts";
import {
  choice,
  closedObject,
  inlineObject,
  integer,
  orNull,
  refusedAs,
  type Schema,
  text,
  type TypeOf,
  withDefault,
  withKeywords,
} from "../json/schema.ts";

export const BODY_BYTES_MAX = 16 * 1024;
const BUDGET_MIN = 20;
const BUDGET_MAX = 10_000;
const BUDGET_SENTENCE = `must be 0 for no bound, or from ${BUDGET_MIN} to ${BUDGET_MAX} dollars`;

/** Read by `parsePlan`, which knows other names too. */
const PLAN: Schema = { description: "The plan.", enum: PLANS };
const BUDGET = refusedAs(
  BUDGET_SENTENCE,
  withKeywords(integer("Dollars a month; 0 for no limit."), { minimum: 0, maximum: BUDGET_MAX }),
);
export const DIALECT = refusedAs(
  `must be one of ${DIALECT_CHOICES.join(", ")}, or null`,
  orNull(
    choice(
      DIALECT_CHOICES,
      "Headers of messages that were published without a `Svc-` or `Upstash-` header; null for the setting of the server.",
    ),
  ),
);
export const LIMITS_REQUEST = withKeywords(
  inlineObject(
    {},
    Object.fromEntries(LIMIT_FIELDS.map((field) => [LIMITS[field].name, orNull(integer())])),
  ),
  {
    description: "Limits by their names; null returns to the limit of the plan.",
    examples: [{ max_topics: 5 }],
  },
);

export const NEW_ACCOUNT = closedObject(
  {
    customer_id: refusedAs(
      "must be 1 to 254 characters without blanks, colons and control characters",
      withKeywords(text("1 to 254 characters without blanks and colons.", "team@example.com"), {
        pattern: "^[^\\s:\\p{Cc}\\p{Cs}\\u{10000}-\\u{10ffff}\\ufffe\\uffff]{1,254}$",
      }),
    ),
  },
  { plan_name: withDefault("free", PLAN), budget: withDefault(0, BUDGET), limits: LIMITS_REQUEST },
);
export const PLAN_REQUEST = closedObject({ plan_name: PLAN });
export const BUDGET_REQUEST = closedObject({ budget: BUDGET });
export const DIALECT_REQUEST = closedObject({ dialect: DIALECT });
export const OK: Schema<"OK"> = { const: "OK" };

const readNew = bodyReader(NEW_ACCOUNT, BODY_BYTES_MAX);
const readPlanRequest = bodyReader(PLAN_REQUEST, BODY_BYTES_MAX);
const readBudgetRequest = bodyReader(BUDGET_REQUEST, BODY_BYTES_MAX);
const readLimitsRequest = bodyReader(LIMITS_REQUEST, BODY_BYTES_MAX);
const readNoMembers = bodyReader(closedObject({}), BODY_BYTES_MAX);
/** Null follows the setting of the server. */
export const readDialect = bodyReader(DIALECT_REQUEST, BODY_BYTES_MAX);

export interface NewAccount {
  readonly customerId: string;
  readonly plan: PlanName;
  readonly overrides: LimitOverrides;
  readonly budgetDollars: number;
}

export function readNewAccount(body: Uint8Array): NewAccount {
  const { customer_id: customerId, plan_name: plan, budget, limits = {} } = readNew(body);
  const { set: overrides, unset } = limitChanges(limits);
  if (unset[0] !== undefined) throw invalidRequest(`limits: ${LIMITS[unset[0]].name} is null`);
  return { customerId, plan: parsePlan(plan), budgetDollars: parseBudget(budget), overrides };
}

export function readPlan(body: Uint8Array): PlanName {
  return parsePlan(readPlanRequest(body).plan_name);
}

export function readBudget(body: Uint8Array): number {
  return parseBudget(readBudgetRequest(body).budget);
}

/** Limits by their names in the record; null returns to the plan. */
export function readLimits(body: Uint8Array): LimitChanges {
  return limitChanges(readLimitsRequest(body));
}

export interface LimitChanges {
  readonly set: LimitOverrides;
  readonly unset: readonly LimitField[];
}

/** A request without a body may have an empty one. */
export function readNothing(body: Uint8Array): void {
  if (body.byteLength > 0) readNoMembers(body);
}

function limitChanges(limits: TypeOf<typeof LIMITS_REQUEST>): LimitChanges {
  const set: [LimitField, number | null][] = [];
  const unset: LimitField[] = [];
  for (const [name, shown] of Object.entries(limits)) {
    const field = LIMIT_FIELDS.find((known) => LIMITS[known].name === name);
    if (field === undefined) throw invalidRequest(`${shownName(name)}: is not a limit`);
    if (shown === null) unset.push(field);
    else set.push([field, readLimit(field, shown)]);
  }
  return { set: Object.fromEntries(set), unset };
}

/** Accepts the public service's names of the fixed plans too. */
function parsePlan(value: unknown): PlanName {
  const wanted = typeof value === "string" ? value.replace(/^qstash_/, "svc_") : null;
  const plan = PLANS.find((known) => known === wanted);
  if (plan !== undefined) return plan;
  const reason = typeof value === "string" ? `there is no plan ${shownName(value)}; ` : "";
  throw invalidRequest(`plan_name: ${reason}must be one of ${PLANS.join(", ")}`);
}

function parseBudget(budget: number): number {
  if (budget === 0 || budget >= BUDGET_MIN) return budget;
  throw invalidRequest(`budget: ${BUDGET_SENTENCE}`);
}

/** How much longer the replaced tokens are accepted; 0 by default. */
export function readGraceMs(query: string): number {
  return readParameters(query, GRACE_ROWS).grace ?? 0;
}

export function readAccountPage(query: string): IdPage & { readonly count: number } {
  const { after, count } = readIdPage(query);
  if (count !== null && count > ACCOUNTS_MAX) {
    throw invalidRequest(`count: is more than ${ACCOUNTS_MAX}`);
  }
  return { after, count: count ?? ACCOUNTS_MAX };
}

function parseGrace(given: string): number {
  const graceMs = parseDuration(given);
  if (graceMs > GRACE_MS_MAX) throw invalidRequest("is longer than 7d");
  return graceMs;
}

const GRACE_MS_MAX = 7 * 86_400_000;
const ACCOUNTS_MAX = 1_000;
export const CONFIRM_ROWS = [
  single(
    "confirm",
    "The `customer_id` of the account. Without it nothing is deleted.",
    text(undefined, "team@example.com"),
    (given) => given,
  ),
];

/** The name with which a deletion is confirmed; undefined for a dry run. */
export function readConfirmation(query: string): string | undefined {
  return readParameters(query, CONFIRM_ROWS).confirm;
}

export const GRACE_ROWS = [
  single(
    "grace",
    "How long the old tokens stay valid, at most 7d.",
    text(undefined, "10m"),
    parseGrace,
  ),
];
