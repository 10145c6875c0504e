import type { AccountRecord } from "../../model/account/account.ts";
import { limitsFor } from "../../policy/limits/limits.ts";

/** The stored part of an account; the rest is derived from it. */
export type KeptAccount = Omit<AccountRecord, "limits" | "isHalted">;

export function accountOf(kept: KeptAccount): AccountRecord {
  return {
    ...kept,
    limits: limitsFor(kept.plan, kept.overrides),
    isHalted: kept.isSuspended || kept.isPaused,
  };
}
