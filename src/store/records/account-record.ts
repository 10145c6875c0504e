import type { AccountRecord } from "../../core/model/account/account.ts";
import { accountOf, type KeptAccount } from "../../core/rules/account/account-record.ts";
import { OWNER_OVERRIDES } from "../../core/policy/limits/limits.ts";

/** The text of an account's row, without what can be derived. */
export function encodeAccount(account: AccountRecord): string {
  const { limits: _limits, isHalted: _isHalted, ...kept } = account;
  return JSON.stringify(kept);
}

export function decodeAccount(text: string): AccountRecord {
  const kept = JSON.parse(text) as KeptAccount;
  const { customerId = kept.accountId } = kept as Partial<KeptAccount>;
  return accountOf({ ...DEFAULTS, ...kept, customerId });
}

/** For rows of earlier versions, which had only the owner's accounts. */
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
