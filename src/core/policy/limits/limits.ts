import {
  type AccountLimits,
  type LimitOverrides,
  type PlanName,
  PLANS,
} from "../../model/account/account.ts";
import { Problem } from "../../problem.ts";
import { type LimitRow, LIMITS } from "./limit-table.ts";

export type LimitField = keyof AccountLimits;

/** Of the account of the first start and of those of `dev`: they have no limits on their own machine. */
export const OWNER_OVERRIDES: LimitOverrides = {
  requestsPerDaySoft: null,
  requestsPerDayHard: null,
  requestsPerSecondMax: null,
  queueParallelismMax: null,
  parallelismMax: null,
};

/** The account record's number for no limit; the largest that all clients read. */
export const NO_LIMIT = 2_147_483_647;

export function limitsFor(plan: PlanName, overrides: LimitOverrides = {}): AccountLimits {
  const index = PLANS.indexOf(plan);
  const limits = LIMIT_FIELDS.map((field) => [field, LIMITS[field].values[index]]);
  return { ...(Object.fromEntries(limits) as AccountLimits), ...overrides };
}

/** A limit in the unit of the account record. */
export function shownLimit(field: LimitField, value: number | null): number {
  const { unit = 1 }: LimitRow = LIMITS[field];
  return value === null ? NO_LIMIT : value / unit;
}

/** The reverse; refuses a value that is not a whole number within the bounds of this limit. */
export function readLimit(field: LimitField, shown: unknown): number | null {
  const { name, unit = 1, mayBeNone, min = 0, max = NO_LIMIT }: LimitRow = LIMITS[field];
  if (mayBeNone === true && (shown === NO_LIMIT || shown === null)) return null;
  if (!Number.isInteger(shown) || (shown as number) < min || (shown as number) > max) {
    const none = mayBeNone === true ? `, or ${NO_LIMIT} for no limit` : "";
    throw new Problem(
      "invalid-request",
      `${name}: must be a whole number from ${min} to ${max}${none}`,
    );
  }
  return (shown as number) * unit;
}

/** Refuses a value over a limit, with the text that clients know. */
export function requireWithin(quota: string, value: number, limit: number | null): void {
  if (limit !== null && value > limit) {
    throw new Problem("quota-exceeded", `quota ${quota} exceeded, current limit: ${limit}`);
  }
}

export const LIMIT_FIELDS = Object.keys(LIMITS) as LimitField[];
