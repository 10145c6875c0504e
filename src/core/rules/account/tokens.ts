import {
  type AccountRecord,
  MAIN_TOKEN_ID,
  NAMED_TOKENS_MAX,
  READ_ONLY_TOKEN_ID,
  type NamedToken,
} from "../../model/account/account.ts";
import type { Instant } from "../../model/time.ts";
import type { Rule } from "../../rule.ts";

/** Uses of a token closer together than this are noted once. */
export const TOKEN_USE_STEP_MS = 60_000;

/** A token that a request may carry, as its account stores it. */
export interface GrantedToken {
  /** Null for a replaced token in its grace period. */
  readonly tokenId: string | null;
  readonly isReadOnly: boolean;
}

/** What the token with this hash gives access to; null when the account has no such token now. */
export function grantedToken(
  account: AccountRecord,
  tokenHash: string,
  now: Instant,
): GrantedToken | null {
  if (tokenHash === account.tokenHash) return { tokenId: MAIN_TOKEN_ID, isReadOnly: false };
  if (tokenHash === account.readOnlyTokenHash) {
    return { tokenId: READ_ONLY_TOKEN_ID, isReadOnly: true };
  }
  const named = account.namedTokens.find((token) => token.tokenHash === tokenHash);
  if (named !== undefined) {
    const { tokenId, isReadOnly, expiresAt } = named;
    return expiresAt !== null && expiresAt <= now ? null : { tokenId, isReadOnly };
  }
  const { previousTokens } = account;
  if (previousTokens === null || previousTokens.until <= now) return null;
  if (tokenHash === previousTokens.tokenHash) return { tokenId: null, isReadOnly: false };
  return tokenHash === previousTokens.readOnlyTokenHash
    ? { tokenId: null, isReadOnly: true }
    : null;
}

export interface AddTokenAct {
  readonly rule: "add-token";
  readonly accountId: string;
  readonly token: NamedToken;
}

/** Adds a named token. Names are unique, so that a list says which is which. */
export const addToken: Rule<AddTokenAct, AccountRecord | "name-taken" | "too-many" | null> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, token }, rows) => {
    const account = rows.account(accountId);
    if (account === null) return { changes: [], answer: null };
    const { namedTokens } = account;
    if (namedTokens.some(({ name }) => name === token.name)) {
      return { changes: [], answer: "name-taken" };
    }
    if (namedTokens.length >= NAMED_TOKENS_MAX) return { changes: [], answer: "too-many" };
    const changed = { ...account, namedTokens: [...namedTokens, token] };
    return { changes: [{ type: "account.changed", account: changed }], answer: changed };
  },
};

export interface RevokeTokenAct {
  readonly rule: "revoke-token";
  readonly accountId: string;
  readonly tokenId: string;
}

export const revokeToken: Rule<RevokeTokenAct, AccountRecord | null> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, tokenId }, rows) => {
    const account = rows.account(accountId);
    const isKnown = account?.namedTokens.some((token) => token.tokenId === tokenId) ?? false;
    if (account === null || !isKnown) return { changes: [], answer: null };
    const changed: AccountRecord = {
      ...account,
      namedTokens: account.namedTokens.filter((token) => token.tokenId !== tokenId),
      tokenUses: usesWithout(account, [tokenId]),
    };
    return { changes: [{ type: "account.changed", account: changed }], answer: changed };
  },
};

export interface UseTokenAct {
  readonly rule: "use-token";
  readonly accountId: string;
  readonly tokenId: string;
  readonly at: Instant;
}

/** Two nodes may note the same use; the later time stays. */
export const useToken: Rule<UseTokenAct, null> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, tokenId, at }, rows) => {
    const account = rows.account(accountId);
    if (account === null || !isUseNews(account, tokenId, at) || !hasToken(account, tokenId)) {
      return { changes: [], answer: null };
    }
    const changed = { ...account, tokenUses: { ...account.tokenUses, [tokenId]: at } };
    return { changes: [{ type: "account.changed", account: changed }], answer: null };
  },
};

/** Whether a use is to be noted: the last one noted is more than a step ago. */
export function isUseNews({ tokenUses }: AccountRecord, tokenId: string, at: Instant): boolean {
  const last = tokenUses[tokenId];
  return last === undefined || at - last >= TOKEN_USE_STEP_MS;
}

export function usesWithout(
  { tokenUses }: AccountRecord,
  tokenIds: readonly string[],
): AccountRecord["tokenUses"] {
  return Object.fromEntries(Object.entries(tokenUses).filter(([id]) => !tokenIds.includes(id)));
}

function hasToken({ namedTokens }: AccountRecord, tokenId: string): boolean {
  return (
    tokenId === MAIN_TOKEN_ID ||
    tokenId === READ_ONLY_TOKEN_ID ||
    namedTokens.some((token) => token.tokenId === tokenId)
  );
}
