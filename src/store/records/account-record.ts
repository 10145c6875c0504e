import type { AccountRecord } from "../../core/model/account/account.ts";
import { accountOf, type KeptAccount } from "../../core/rules/account/accounts.ts";
import type { Row } from "./rows.ts";

/** The text of an account's row, without what can be derived. */
export function encodeAccount(account: AccountRecord): string {
  const { limits: _limits, isHalted: _isHalted, ...kept } = account;
  return JSON.stringify(kept);
}

export function toAccountRecord(row: Row): AccountRecord {
  return accountOf(JSON.parse(row["record"] as string) as KeptAccount);
}
