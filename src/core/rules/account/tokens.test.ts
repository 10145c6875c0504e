import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount, START_AT } from "../../../../test/support/messages.ts";
import {
  type AccountRecord,
  MAIN_TOKEN_ID,
  NAMED_TOKENS_MAX,
  type NamedToken,
  READ_ONLY_TOKEN_ID,
} from "../../model/account/account.ts";
import type { Rows } from "../../rule.ts";
import { addToken, grantedToken, isUseNews, revokeToken, useToken } from "./tokens.ts";

const named = (name: string, expiresAt: number | null = null): NamedToken => ({
  tokenId: `tok_${name}`,
  name,
  tokenHash: `hash of ${name}`,
  isReadOnly: false,
  createdAt: START_AT,
  expiresAt,
});

const rowsOf = (account: AccountRecord | null): Rows =>
  ({ account: () => account }) as unknown as Rows;

const withTokens = (count: number): AccountRecord =>
  anAccount({ namedTokens: Array.from({ length: count }, (_, number) => named(String(number))) });

const add = (account: AccountRecord | null, token: NamedToken) => {
  const act = { rule: "add-token", accountId: "account", token } as const;
  return addToken.decide(act, rowsOf(account));
};

const revoke = (account: AccountRecord | null, tokenId: string) => {
  const act = { rule: "revoke-token", accountId: "account", tokenId } as const;
  return revokeToken.decide(act, rowsOf(account));
};

test("a token ends at the millisecond of its end", () => {
  const account = anAccount({
    namedTokens: [named("ends", START_AT + 1_000), named("stays")],
    previousTokens: { tokenHash: "old", readOnlyTokenHash: "old-read", until: START_AT + 1_000 },
  });
  const idAt = (tokenHash: string, at: number) => grantedToken(account, tokenHash, START_AT + at);
  assert.equal(idAt("hash of ends", 999)?.tokenId, "tok_ends");
  assert.equal(idAt("hash of ends", 1_000), null);
  assert.equal(idAt("hash of stays", 1_000_000)?.tokenId, "tok_stays");
  assert.deepEqual(idAt("old", 999), { tokenId: null, isReadOnly: false });
  assert.deepEqual(idAt("old-read", 999), { tokenId: null, isReadOnly: true });
  assert.deepEqual([idAt("old", 1_000), idAt("old-read", 1_000)], [null, null]);
  assert.equal(idAt("unknown", 0), null);
});

test("an account has so many named tokens, and no two of one name", () => {
  const last = add(withTokens(NAMED_TOKENS_MAX - 1), named("last")).answer as AccountRecord;
  assert.equal(last.namedTokens.length, NAMED_TOKENS_MAX);
  assert.equal(last.namedTokens.at(-1)?.name, "last");
  const full = add(withTokens(NAMED_TOKENS_MAX), named("more"));
  assert.deepEqual([full.changes, full.answer], [[], "too-many"]);
  assert.equal(add(withTokens(3), named("1")).answer, "name-taken");
  assert.equal(add(null, named("any")).answer, null);
});

test("a token is revoked alone, and an unknown one not at all", () => {
  const left = revoke(withTokens(3), "tok_1").answer as AccountRecord;
  assert.deepEqual(
    left.namedTokens.map(({ name }) => name),
    ["0", "2"],
  );
  for (const account of [withTokens(3), withTokens(0), null]) {
    const { changes, answer } = revoke(account, "tok_unknown");
    assert.deepEqual([changes, answer], [[], null]);
  }
});

test("the uses of a token go with it", () => {
  const account = { ...withTokens(2), tokenUses: { tok_0: 5, tok_1: 6 } };
  assert.deepEqual(revoke(account, "tok_1").answer?.tokenUses, { tok_0: 5 });
});

test("a use is noted once in a while, of a token that the account has", () => {
  const account = { ...withTokens(1), tokenUses: { tok_0: START_AT } };
  const use = (tokenId: string, at: number) => {
    const act = { rule: "use-token", accountId: "account", tokenId, at } as const;
    const [changed] = useToken.decide(act, rowsOf(account)).changes;
    return changed?.type === "account.changed" ? changed.account.tokenUses[tokenId] : null;
  };
  let stepMs = 1;
  while (!isUseNews(account, "tok_0", START_AT + stepMs)) stepMs *= 2;
  assert.ok(stepMs > 1_000);
  assert.equal(use("tok_0", START_AT + 1), null);
  assert.equal(use("tok_0", START_AT + stepMs), START_AT + stepMs);
  for (const tokenId of [MAIN_TOKEN_ID, READ_ONLY_TOKEN_ID]) assert.equal(use(tokenId, 7), 7);
  assert.equal(use("tok_unknown", 7), null);
  const gone = { rule: "use-token", accountId: "account", tokenId: "tok_0", at: 7 } as const;
  assert.deepEqual(useToken.decide(gone, rowsOf(null)).changes, []);
});
