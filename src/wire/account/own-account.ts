import type { AccountRecord } from "../../core/model/account/account.ts";
import { LIMITS } from "../../core/policy/limits/limit-table.ts";
import type { LimitField } from "../../core/policy/limits/limits.ts";
import type { TypeOf } from "../json/schema.ts";
import { accountJson } from "./account.ts";
import type { OWN_ACCOUNT } from "./account-schemas.ts";

interface Shown {
  readonly account: AccountRecord;
  readonly isReadOnly: boolean;
  readonly usage: readonly { readonly field: LimitField; readonly used: number }[];
}

/** The caller's account record, what its token may do, and how much of each limit is used. */
export function ownAccountJson(
  { account, isReadOnly, usage }: Shown,
  region: string,
): TypeOf<typeof OWN_ACCOUNT> {
  return {
    ...accountJson(account, region),
    access: isReadOnly ? "read-only" : "full",
    usage: usage.map(({ field, used }) => ({
      limit: LIMITS[field].name,
      used,
      max: account.limits[field],
      says: LIMITS[field].says,
    })),
  };
}
