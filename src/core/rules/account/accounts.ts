import type {
  AddAccountAct,
  ChangeAccountAct,
  RotateCredentialsAct,
  RotateSigningKeysAct,
  MakeLinesDueAct,
} from "../../act.ts";
import {
  type AccountRecord,
  type LimitOverrides,
  MAIN_TOKEN_ID,
  READ_ONLY_TOKEN_ID,
} from "../../model/account/account.ts";
import type { Rule } from "../../rule.ts";
import { accountOf } from "./account-record.ts";
import { usesWithout } from "./tokens.ts";

/** Adds an account; several nodes may try at once, and the first one wins. */
export const addAccount: Rule<AddAccountAct> = {
  needs: ({ account, operator }) => ({
    accounts: [account.accountId],
    customers: [account.customerId],
    service: operator !== undefined,
  }),
  decide: ({ account, operator }, rows) => {
    if (rows.account(account.accountId)) return { changes: [], answer: "exists" };
    if (rows.accountByCustomer(account.customerId)) {
      return { changes: [], answer: "customer-exists" };
    }
    const added = { type: "account.added", account } as const;
    if (operator === undefined || rows.service().operator !== null) {
      return { changes: [added], answer: "added" };
    }
    const service = { ...rows.service(), operator };
    return { changes: [added, { type: "service.changed", service }], answer: "added" };
  },
};

/** Changes the operator's settings of an account. */
export const changeAccount: Rule<ChangeAccountAct> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, at, fields, overrides }, rows) => {
    const account = rows.account(accountId);
    if (account === null) return { changes: [], answer: null };
    const isOtherPlan = fields.plan !== undefined && fields.plan !== account.plan;
    const changed = accountOf({
      ...account,
      ...fields,
      overrides: overrides ? overridden(account.overrides, overrides) : account.overrides,
      planChangedAt: isOtherPlan ? at : account.planChangedAt,
    });
    return { changes: [{ type: "account.changed", account: changed }], answer: changed };
  },
};

/** Replaces tokens and password at once; the old tokens end now, or after a grace period. */
export const rotateCredentials: Rule<RotateCredentialsAct> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, at, credentials, graceMs }, rows) => {
    const account = rows.account(accountId);
    if (account === null) return { changes: [], answer: null };
    const { tokenHash, readOnlyTokenHash } = account;
    const changed: AccountRecord = {
      ...account,
      ...credentials,
      tokenUses: usesWithout(account, [MAIN_TOKEN_ID, READ_ONLY_TOKEN_ID]),
      previousTokens: graceMs === 0 ? null : { tokenHash, readOnlyTokenHash, until: at + graceMs },
    };
    return { changes: [{ type: "account.changed", account: changed }], answer: changed };
  },
};

/** The next key becomes the current one. */
export const rotateSigningKeys: Rule<RotateSigningKeysAct> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, next }, rows) => {
    const account = rows.account(accountId);
    if (account === null) return { changes: [], answer: null };
    const signingKeys = { current: account.signingKeys.next, next };
    return {
      changes: [{ type: "account.changed", account: { ...account, signingKeys } }],
      answer: signingKeys,
    };
  },
};

/** Makes the lines of an account due that claims postponed while it was halted. */
export const makeLinesDue: Rule<MakeLinesDueAct> = {
  needs: () => ({}),
  decide: ({ accountId, lines, at }) => ({
    changes: lines.map((line) => ({ type: "line.changed", accountId, line, at })),
    answer: null,
  }),
};

function overridden(
  before: LimitOverrides,
  { set, unset }: NonNullable<ChangeAccountAct["overrides"]>,
): LimitOverrides {
  const kept = Object.entries(before).filter(([field]) => !unset.includes(field as never));
  return { ...Object.fromEntries(kept), ...set };
}
