import type { AccountRecord } from "../core/model/account.ts";
import { limitsFor, OWNER_OVERRIDES } from "../core/rules/limits.ts";

/** The text of an account's row. Its limits follow from its plan, so they are not written. */
export function encodeAccount(account: AccountRecord): string {
  const { limits: _, ...kept } = account;
  return JSON.stringify(kept);
}

export function decodeAccount(text: string): AccountRecord {
  const kept = { ...DEFAULTS, ...(JSON.parse(text) as Kept) };
  return { ...kept, limits: limitsFor(kept.plan, kept.overrides) };
}

type Kept = Omit<AccountRecord, "limits">;

/** What rows of earlier versions do not say. There were only the owner's accounts then. */
const DEFAULTS = { plan: "paid", overrides: OWNER_OVERRIDES } as const;
