import {
  type AccountRecord,
  type LimitOverrides,
  MAIN_TOKEN_ID,
  READ_ONLY_TOKEN_ID,
  type SigningKeys,
  type Operator,
} from "../../model/account/account.ts";
import type { Rule } from "../../rule.ts";
import { isSealedByOther, OTHER_KEY } from "./secret-key.ts";
import { usesWithout } from "./tokens.ts";
import type { Instant } from "../../model/time.ts";
import { limitsFor } from "../../policy/limits/limits.ts";

export interface AddAccountAct {
  readonly rule: "add-account";
  readonly account: AccountRecord;
  /** The operator of a new service, added with its first account unless the service has one. */
  readonly operator?: Operator | undefined;
  /** The secret key that has sealed its signing keys. */
  readonly keyId?: string | undefined;
}

type Added = "added" | "exists" | "customer-exists" | typeof OTHER_KEY;

/** Adds an account; several nodes may try at once, and the first one wins. */
export const addAccount: Rule<AddAccountAct, Added> = {
  needs: ({ account, operator, keyId }) => ({
    accounts: [account.accountId],
    customers: [account.customerId],
    service: operator !== undefined || keyId !== undefined,
  }),
  decide: ({ account, operator, keyId }, rows) => {
    if (rows.account(account.accountId)) return { changes: [], answer: "exists" };
    if (rows.accountByCustomer(account.customerId)) {
      return { changes: [], answer: "customer-exists" };
    }
    if (keyId !== undefined && isSealedByOther(rows.service(), keyId)) {
      return { changes: [], answer: OTHER_KEY };
    }
    const added = { type: "account.added", account } as const;
    if (operator === undefined || rows.service().operator !== null) {
      return { changes: [added], answer: "added" };
    }
    const service = { ...rows.service(), operator };
    return { changes: [added, { type: "service.changed", service }], answer: "added" };
  },
};

export interface ChangeAccountAct {
  readonly rule: "change-account";
  readonly at: Instant;
  readonly accountId: string;
  readonly fields: Partial<
    Pick<AccountRecord, "plan" | "budgetDollars" | "dialect" | "isSuspended" | "isPaused">
  >;
  /** Limits that get an override, and those that return to the plan. */
  readonly overrides?: {
    readonly set: LimitOverrides;
    readonly unset: readonly (keyof LimitOverrides)[];
  };
}

export const changeAccount: Rule<ChangeAccountAct, AccountRecord | null> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, at, fields, overrides }, rows) => {
    const account = rows.account(accountId);
    if (account === null || account.deletingSince !== undefined) {
      return { changes: [], answer: account };
    }
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

export interface DeleteAccountAct {
  readonly rule: "delete-account";
  readonly at: Instant;
  readonly accountId: string;
}

/**
 * Marks an account as being deleted, which suspends it, also for nodes of earlier versions. The
 * store then removes what it has, page by page, and at last the account.
 */
export const deleteAccount: Rule<DeleteAccountAct, AccountRecord | null> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, at }, rows) => {
    const account = rows.account(accountId);
    if (account === null || account.deletingSince !== undefined) {
      return { changes: [], answer: account };
    }
    const changed = accountOf({ ...account, deletingSince: at });
    return { changes: [{ type: "account.changed", account: changed }], answer: changed };
  },
};

export interface RotateCredentialsAct {
  readonly rule: "rotate-credentials";
  readonly at: Instant;
  readonly accountId: string;
  readonly credentials: {
    readonly tokenHash: string;
    readonly readOnlyTokenHash: string;
    readonly passwordHash: string;
  };
  /** How much longer the old tokens are accepted. */
  readonly graceMs: number;
}

/** Replaces tokens and password at once; the old tokens end now, or after a grace period. */
export const rotateCredentials: Rule<RotateCredentialsAct, AccountRecord | null> = {
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

export interface RotateSigningKeysAct {
  readonly rule: "rotate-signing-keys";
  readonly accountId: string;
  /** Encrypted; becomes the next key. */
  readonly next: string;
  /** The secret key that has sealed it. */
  readonly keyId?: string | undefined;
}

/** The next key becomes the current one. */
export const rotateSigningKeys: Rule<RotateSigningKeysAct, SigningKeys | typeof OTHER_KEY | null> =
  {
    needs: ({ accountId, keyId }) => ({ accounts: [accountId], service: keyId !== undefined }),
    decide: ({ accountId, next, keyId }, rows) => {
      const account = rows.account(accountId);
      if (account === null) return { changes: [], answer: null };
      if (keyId !== undefined && isSealedByOther(rows.service(), keyId)) {
        return { changes: [], answer: OTHER_KEY };
      }
      const signingKeys = { current: account.signingKeys.next, next };
      return {
        changes: [{ type: "account.changed", account: { ...account, signingKeys } }],
        answer: signingKeys,
      };
    },
  };

export interface MakeLinesDueAct {
  readonly rule: "make-lines-due";
  readonly at: Instant;
  readonly accountId: string;
  readonly lines: readonly string[];
}

/** Makes the lines of an account due that claims postponed while it was halted. */
export const makeLinesDue: Rule<MakeLinesDueAct, null> = {
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

/** The stored part of an account; the rest is derived from it. */
export type KeptAccount = Omit<AccountRecord, "limits" | "isHalted">;

export function newAccount(kept: Omit<KeptAccount, keyof typeof AT_FIRST>): AccountRecord {
  return accountOf({ ...kept, ...AT_FIRST });
}

const AT_FIRST = {
  dialect: null,
  planChangedAt: 0,
  isSuspended: false,
  isPaused: false,
  previousTokens: null,
  namedTokens: [],
  tokenUses: {},
} as const;

export function accountOf(kept: KeptAccount): AccountRecord {
  const isSuspended = kept.isSuspended || kept.deletingSince !== undefined;
  return {
    ...kept,
    isSuspended,
    limits: limitsFor(kept.plan, kept.overrides),
    isHalted: isSuspended || kept.isPaused,
  };
}

export interface SetOperatorAct {
  readonly rule: "set-operator";
  readonly operator: Operator;
}

/** Stores the operator; several nodes may try at once, and the first one wins. */
export const setOperator: Rule<SetOperatorAct, "set" | "exists"> = {
  needs: () => ({ service: true }),
  decide: ({ operator }, rows) => {
    const service = rows.service();
    if (service.operator !== null) return { changes: [], answer: "exists" };
    return {
      changes: [{ type: "service.changed", service: { ...service, operator } }],
      answer: "set",
    };
  },
};

export interface PauseServiceAct {
  readonly rule: "pause-service";
  readonly isPaused: boolean;
}

/** Stops all deliveries from starting, or allows them again. */
export const pauseService: Rule<PauseServiceAct, null> = {
  needs: () => ({ service: true }),
  decide: ({ isPaused }, rows) => ({
    changes: [{ type: "service.changed", service: { ...rows.service(), isPaused } }],
    answer: null,
  }),
};
