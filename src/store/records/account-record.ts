import type { AccountRecord } from "../../core/model/account/account.ts";
import { accountOf, type KeptAccount } from "../../core/rules/account/account-record.ts";
import { OWNER_OVERRIDES } from "../../core/policy/limits/limits.ts";

/** The text of an account's row; what follows from the rest is not written. */
export function encodeAccount(account: AccountRecord): string {
  const { limits: _limits, isHalted: _isHalted, ...kept } = account;
  return JSON.stringify(kept);
}

export function decodeAccount(text: string): AccountRecord {
  const kept = JSON.parse(text) as KeptAccount;
  const { customerId = kept.accountId } = kept as Partial<KeptAccount>;
  return accountOf({ ...DEFAULTS, ...kept, customerId });
}

/** What rows of earlier versions do not say. There were only the owner's accounts then. */
const DEFAULTS = {
  plan: "paid",
  overrides: OWNER_OVERRIDES,
  planChangedAt: 0,
  createdBy: "",
  budgetDollars: 0,
  isSuspended: false,
  isPaused: false,
  passwordHash: null,
  previousTokens: null,
} as const;
