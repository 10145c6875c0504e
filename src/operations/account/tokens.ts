import {
  type AccountRecord,
  MAIN_TOKEN_ID,
  NAMED_TOKENS_MAX,
  type NamedToken,
  READ_ONLY_TOKEN_ID,
} from "../../core/model/account/account.ts";
import { notFound } from "../../core/not-found.ts";
import { Problem } from "../../core/problem.ts";
import { drawToken, hashToken } from "../../platform/token.ts";
import { getAccount, type ManageOptions, noAccount } from "./manage-accounts.ts";
import type { NewToken, TokenFacts } from "../../wire/account/token.ts";

/** A token with its secret, which cannot be shown again. */
export interface IssuedToken {
  readonly facts: TokenFacts;
  readonly token: string;
}

/** The two tokens that every account has, then the named ones; read afresh. */
export async function listTokens(
  options: ManageOptions,
  accountId: string,
): Promise<readonly TokenFacts[]> {
  const account = await getAccount(options, accountId);
  return [
    builtIn(account, MAIN_TOKEN_ID, false),
    builtIn(account, READ_ONLY_TOKEN_ID, true),
    ...account.namedTokens.map((token) => factsOf(account, token)),
  ];
}

export async function addToken(
  options: ManageOptions,
  accountId: string,
  { name, isReadOnly, lifeMs }: NewToken,
): Promise<IssuedToken> {
  const { store, clock, ids, accounts } = options;
  const token = drawToken(accountId, ids);
  const createdAt = clock.now();
  const stored: NamedToken = {
    tokenId: ids.sortable("tok_", createdAt),
    name,
    tokenHash: hashToken(token),
    isReadOnly,
    createdAt,
    expiresAt: lifeMs === null ? null : createdAt + lifeMs,
  };
  const added = await store.act({ rule: "add-token", accountId, token: stored });
  if (added === null) throw noAccount(accountId);
  if (added === "name-taken") {
    throw new Problem("invalid-request", "name: another token of the account has it");
  }
  if (added === "too-many") {
    const sentence = `the account has ${NAMED_TOKENS_MAX} named tokens; revoke one first`;
    throw new Problem("invalid-request", sentence);
  }
  accounts.forget(accountId);
  return { facts: factsOf(added, stored), token };
}

/** Ends a named token, and the sessions that were begun with it. */
export async function revokeToken(
  { store, accounts }: ManageOptions,
  accountId: string,
  tokenId: string,
): Promise<void> {
  if (tokenId === MAIN_TOKEN_ID || tokenId === READ_ONLY_TOKEN_ID) {
    const sentence = `the ${tokenId} token cannot be revoked alone; rotate the tokens instead`;
    throw Problem.about("id", "invalid-request", sentence);
  }
  const changed = await store.act({ rule: "revoke-token", accountId, tokenId });
  if (changed === null) throw notFound("token", tokenId, "id");
  accounts.forget(accountId);
}

function builtIn(account: AccountRecord, tokenId: string, isReadOnly: boolean): TokenFacts {
  const { createdAt } = account;
  return {
    tokenId,
    name: tokenId,
    isReadOnly,
    createdAt,
    expiresAt: null,
    lastUsedAt: account.tokenUses[tokenId] ?? null,
  };
}

function factsOf({ tokenUses }: AccountRecord, token: NamedToken): TokenFacts {
  const { tokenHash: _tokenHash, ...facts } = token;
  return { ...facts, lastUsedAt: tokenUses[token.tokenId] ?? null };
}
