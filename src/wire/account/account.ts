import {
  type AccountRecord,
  type LimitOverrides,
  type PlanName,
  PLANS,
} from "../../core/model/account/account.ts";
import { DIALECT_CHOICES, type DialectChoice } from "../../core/model/message/message.ts";
import { LIMITS } from "../../core/policy/limits/limit-table.ts";
import {
  LIMIT_FIELDS,
  type LimitField,
  readLimit,
  shownLimit,
} from "../../core/policy/limits/limits.ts";
import { refusal, shownName } from "../headers/header-value.ts";
import { isJsonObject, readJson, readMembers } from "../json/json.ts";
import type { TypeOf } from "../json/schema.ts";
import type { ACCOUNT } from "./account-schemas.ts";

/** The secrets of an account in clear, for the one response that may show them. */
export interface ShownSecrets {
  readonly token: string;
  readonly readOnlyToken: string;
  readonly password: string;
}

/** The account record. Without secrets their fields are empty texts. */
export function accountJson(
  account: AccountRecord,
  region: string,
  secrets?: ShownSecrets,
): TypeOf<typeof ACCOUNT> {
  const isFixed = account.plan !== "free" && account.plan !== "paid";
  return {
    customer_id: account.customerId,
    id: account.accountId,
    password: secrets?.password ?? "",
    token: secrets?.token ?? "",
    ...(secrets === undefined ? {} : { read_only_token: secrets.readOnlyToken }),
    active: !account.isSuspended,
    state: account.isSuspended ? "passive" : "active",
    modifying_state: account.isSuspended ? "suspended" : "",
    paused: account.isPaused,
    dialect: account.dialect ?? null,
    last_plan_upgrade_time: unixSeconds(account.planChangedAt),
    type: account.plan === "free" ? "free" : "paid",
    reserved_type: isFixed ? account.plan : "",
    reserved_price: 0,
    prod_pack_enabled: false,
    prometheus_enabled: "false",
    region: recordRegion(region),
    budget: account.budgetDollars,
    created_by: account.createdBy,
    creation_time: unixSeconds(account.createdAt),
    ...limitsJson(account),
  };
}

function limitsJson({ limits, overrides }: AccountRecord) {
  const shown = (field: LimitField): [string, number] => [
    LIMITS[field].name,
    shownLimit(field, limits[field]),
  ];
  const overridden = LIMIT_FIELDS.filter((field) => Object.hasOwn(overrides, field));
  return {
    ...Object.fromEntries(LIMIT_FIELDS.map(shown)),
    limit_overrides: Object.fromEntries(overridden.map(shown)),
  };
}

/** The record knows two regions; a service in neither shows the first. */
function recordRegion(region: string): string {
  return region.toLowerCase() === "us-east-1" ? "us-east-1" : "eu-central-1";
}

const unixSeconds = (at: number): number => Math.floor(at / 1_000);

export interface NewAccountBody {
  readonly customerId: string;
  readonly plan: PlanName;
  readonly overrides: LimitOverrides;
  readonly budgetDollars: number;
}

export function readNewAccount(body: Uint8Array): NewAccountBody {
  const fields = readMembers(body, BODY_BYTES_MAX, [
    "customer_id",
    "plan_name",
    "budget",
    "limits",
  ]);
  const limits = fields["limits"] === undefined ? null : parseLimits(fields["limits"], "limits");
  if (limits !== null && limits.unset.length > 0) {
    throw refusal(`limits: ${LIMITS[limits.unset[0]!].name} is null`);
  }
  return {
    customerId: parseCustomerId(fields["customer_id"]),
    plan: fields["plan_name"] === undefined ? "free" : parsePlan(fields["plan_name"]),
    budgetDollars: fields["budget"] === undefined ? 0 : parseBudget(fields["budget"]),
    overrides: limits?.set ?? {},
  };
}

export function readPlan(body: Uint8Array): PlanName {
  return parsePlan(readMembers(body, BODY_BYTES_MAX, ["plan_name"])["plan_name"]);
}

export function readBudget(body: Uint8Array): number {
  return parseBudget(readMembers(body, BODY_BYTES_MAX, ["budget"])["budget"]);
}

/** Null follows the setting of the server. */
export function readDialect(body: Uint8Array): DialectChoice | null {
  const { dialect } = readMembers(body, BODY_BYTES_MAX, ["dialect"]);
  if (dialect === null) return null;
  const choice = DIALECT_CHOICES.find((known) => known === dialect);
  if (choice !== undefined) return choice;
  throw refusal(`dialect: must be one of ${DIALECT_CHOICES.join(", ")}, or null`);
}

/** Limits by their names in the record; null returns to the plan. */
export function readLimits(body: Uint8Array): LimitChanges {
  return parseLimits(readJson(body, BODY_BYTES_MAX), "body");
}

export interface LimitChanges {
  readonly set: LimitOverrides;
  readonly unset: readonly LimitField[];
}

/** A request without a body may have an empty one. */
export function readNothing(body: Uint8Array): void {
  if (body.byteLength > 0) readMembers(body, BODY_BYTES_MAX, []);
}

function parseLimits(value: unknown, where: string): LimitChanges {
  if (!isJsonObject(value)) throw refusal(`${where}: is not a JSON object`);
  const set: [LimitField, number | null][] = [];
  const unset: LimitField[] = [];
  for (const [name, shown] of Object.entries(value)) {
    const field = LIMIT_FIELDS.find((known) => LIMITS[known].name === name);
    if (field === undefined) throw refusal(`${shownName(name)}: is not a limit`);
    if (shown === null) unset.push(field);
    else set.push([field, readLimit(field, shown)]);
  }
  return { set: Object.fromEntries(set), unset };
}

function parseCustomerId(value: unknown): string {
  if (typeof value !== "string" || !CUSTOMER_ID.test(value)) {
    throw refusal(
      "customer_id: must be 1 to 254 characters without blanks, colons and control characters",
    );
  }
  return value;
}

/** Accepts the public service's names of the fixed plans too. */
function parsePlan(value: unknown): PlanName {
  const wanted = typeof value === "string" ? value.replace(/^qstash_/, "svc_") : null;
  const plan = PLANS.find((known) => known === wanted);
  if (plan !== undefined) return plan;
  const reason = typeof value === "string" ? `there is no plan ${shownName(value)}; ` : "";
  throw refusal(`plan_name: ${reason}must be one of ${PLANS.join(", ")}`);
}

function parseBudget(value: unknown): number {
  const isAllowed =
    typeof value === "number" &&
    Number.isInteger(value) &&
    (value === 0 || (value >= BUDGET_MIN && value <= BUDGET_MAX));
  if (!isAllowed) {
    throw refusal(`budget: must be 0 for no bound, or from ${BUDGET_MIN} to ${BUDGET_MAX} dollars`);
  }
  return value;
}

export const BODY_BYTES_MAX = 16 * 1024;
// oxlint-disable-next-line eslint/no-control-regex
const CUSTOMER_ID = /^[^\s:\u0000-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff]{1,254}$/;
const BUDGET_MIN = 20;
const BUDGET_MAX = 10_000;
