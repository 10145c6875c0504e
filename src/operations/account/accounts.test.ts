import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import { createIds } from "../../platform/ids.ts";
import { createSecretBox } from "../../platform/secret-box.ts";
import { encodeToken, hashToken } from "../../platform/token.ts";
import type { Store } from "../../store/store.ts";
import { Accounts } from "./accounts.ts";

/** Accounts over a store that returns one account for any token. */
function accountsOver(found: { account: AccountRecord | null }, isOnlyWriter = false) {
  const clock = new ManualClock();
  const ids = createIds();
  const queries: string[] = [];
  const find = (query: string) => (keys: readonly string[]) => {
    queries.push(query);
    return Promise.resolve(keys.map(() => found.account));
  };
  const reader = { accounts: { byTokens: find("byTokens"), getAll: find("getAll") } };
  const uses: string[] = [];
  const state = { isWriting: true };
  const act = ({ tokenId }: { tokenId: string }) => {
    uses.push(tokenId);
    return state.isWriting ? Promise.resolve() : Promise.reject(new Error("away"));
  };
  const store = { reader, act, isOnlyWriter } as unknown as Store;
  const secretBox = createSecretBox("a-secret-key", ids);
  return { clock, state, uses, queries, accounts: new Accounts({ store, clock, ids, secretBox }) };
}

/** Tokens that are known without a query. */
const TOKENS_MAX = 10_000;
const NEW = { tokenHash: hashToken("new"), readOnlyTokenHash: hashToken("new-read") };
const OLD = { tokenHash: hashToken("old"), readOnlyTokenHash: hashToken("old-read") };

test("a token that was replaced elsewhere is refused after a second at most", async () => {
  const found: { account: AccountRecord | null } = { account: anAccount(OLD) };
  const { accounts, clock } = accountsOver(found);
  assert.equal((await accounts.access("old"))?.isReadOnly, false);
  await accounts.record("account");
  found.account = null;
  clock.advance(999);
  assert.equal((await accounts.access("old"))?.isReadOnly, false);
  clock.advance(1);
  assert.equal(await accounts.access("old"), null);
});

test("one that was replaced here is refused at once", async () => {
  const found: { account: AccountRecord | null } = { account: anAccount(OLD) };
  const { accounts } = accountsOver(found);
  await accounts.access("old");
  found.account = null;
  accounts.forget("account");
  assert.equal(await accounts.access("old"), null);
});

const FULL_TOKEN = encodeToken("account", "secret");

test("the only writer reads an account again when it was changed, and not each second", async () => {
  const until = new ManualClock().now() + 30_000;
  const previousTokens = { ...OLD, tokenHash: hashToken(FULL_TOKEN), until };
  const found = { account: anAccount({ ...NEW, previousTokens }) };
  const { accounts, clock, queries } = accountsOver(found, true);
  assert.equal((await accounts.access(FULL_TOKEN))?.isReadOnly, false);
  await accounts.record("account");
  clock.advance(5_000);
  assert.equal((await accounts.access(FULL_TOKEN))?.isReadOnly, false);
  assert.deepEqual(queries, ["byTokens", "getAll"]);
  found.account = anAccount({ ...NEW, previousTokens, isSuspended: true });
  accounts.forget("account");
  assert.equal(await accounts.activeAccount("account"), null);
  assert.equal((await accounts.access(FULL_TOKEN))?.account.isSuspended, true);
  assert.deepEqual(queries, ["byTokens", "getAll", "getAll"]);
});

test("the only writer ends an access with its token", async () => {
  const until = new ManualClock().now() + 5_000;
  const previousTokens = { ...OLD, tokenHash: hashToken(FULL_TOKEN), until };
  const { accounts, clock } = accountsOver(
    { account: anAccount({ ...NEW, previousTokens }) },
    true,
  );
  await accounts.record("account");
  assert.equal((await accounts.access(FULL_TOKEN))?.isReadOnly, false);
  clock.advance(5_000);
  assert.equal(await accounts.access(FULL_TOKEN), null);
});

test("one node of several reads an account again after a second", async () => {
  const { accounts, clock, queries } = accountsOver({ account: anAccount(NEW) });
  await accounts.record("account");
  clock.advance(1_000);
  await accounts.record("account");
  assert.deepEqual(queries, ["getAll", "getAll"]);
});

const neverDone = () => new Promise(() => {});

test("many accounts that are used at once are read together, each for token and record", async () => {
  const names = Array.from({ length: 100 }, (_, index) => `account-${index}`);
  const asked: (readonly string[])[] = [];
  const clock = new ManualClock();
  const byHash = new Map(names.map((name) => [hashToken(`${name}-token`), name]));
  const answer = (keys: readonly string[], nameOf: (key: string) => string) => {
    asked.push(keys);
    const records = keys.map((key) => {
      const tokenHash = hashToken(`${nameOf(key)}-token`);
      return anAccount({ accountId: nameOf(key), tokenHash });
    });
    return Promise.resolve(records);
  };
  const reader = {
    accounts: {
      byTokens: (hashes: readonly string[]) => answer(hashes, (hash) => byHash.get(hash)!),
      getAll: (ids: readonly string[]) => answer(ids, (id) => id),
    },
  };
  const store = { reader, act: neverDone, isOnlyWriter: false } as unknown as Store;
  const ids = createIds();
  const accounts = new Accounts({ store, clock, ids, secretBox: createSecretBox("key", ids) });
  const useAll = () =>
    Promise.all(
      names.map(async (name) => {
        assert.equal((await accounts.access(`${name}-token`))?.account.accountId, name);
        assert.equal((await accounts.record(name))?.accountId, name);
      }),
    );
  await useAll();
  clock.advance(1_000);
  asked.length = 0;
  await useAll();
  assert.deepEqual(
    asked.map((keys) => keys.length),
    [1, 99],
  );
});

test("replaced tokens are taken until their grace is over, each for what it was", async () => {
  const { accounts, clock } = accountsOver({
    account: anAccount({
      ...NEW,
      previousTokens: { ...OLD, until: new ManualClock().now() + 5_000 },
    }),
  });
  const isReadOnly = async (token: string) => (await accounts.access(token))?.isReadOnly;
  assert.deepEqual(await Promise.all(["new", "new-read", "old", "old-read"].map(isReadOnly)), [
    false,
    true,
    false,
    true,
  ]);
  clock.advance(5_000);
  assert.equal(await accounts.access("old"), null);
  assert.equal(await accounts.access("old-read"), null);
  assert.equal(await isReadOnly("new"), false);
});

test("a named token is taken until it expires, and not once it was revoked", async () => {
  const named = {
    tokenId: "tok_1",
    name: "ci",
    tokenHash: hashToken("named"),
    isReadOnly: true,
    createdAt: 0,
    expiresAt: new ManualClock().now() + 5_000,
  };
  const writing = { ...named, tokenHash: hashToken("writing"), isReadOnly: false, expiresAt: null };
  const found = { account: anAccount({ ...NEW, namedTokens: [named, writing] }) };
  const { accounts, clock } = accountsOver(found);
  assert.equal((await accounts.access("named"))?.isReadOnly, true);
  const { isReadOnly, isOwner } = (await accounts.access("writing"))!;
  assert.deepEqual([isReadOnly, isOwner], [false, false]);
  clock.advance(4_999);
  assert.equal((await accounts.access("named"))?.isReadOnly, true);
  clock.advance(1_001);
  assert.equal(await accounts.access("named"), null);
  found.account = anAccount(NEW);
  assert.equal(await accounts.access("named"), null);
});

test("a use is noted once a minute, and one of a replaced token not at all", async () => {
  const previousTokens = { ...OLD, until: new ManualClock().now() + 600_000 };
  const { accounts, clock, uses } = accountsOver({
    account: anAccount({ ...NEW, previousTokens }),
  });
  for (let seconds = 0; seconds < 61; seconds += 2) {
    await accounts.access("new");
    await accounts.access("old");
    clock.advance(2_000);
  }
  assert.deepEqual(uses, ["main", "main"]);
});

test("a use that could not be noted is noted with the next", async () => {
  const { accounts, state, uses } = accountsOver({ account: anAccount(NEW) });
  state.isWriting = false;
  await accounts.access("new");
  await turn();
  state.isWriting = true;
  await accounts.access("new");
  await accounts.access("new");
  assert.deepEqual(uses, ["main", "main"]);
});

test("a use that another node has noted within the minute is not noted again", async () => {
  const tokenUses = { main: new ManualClock().now() - 59_999 };
  const { accounts, clock, uses } = accountsOver({ account: anAccount({ ...NEW, tokenUses }) });
  await accounts.access("new");
  assert.deepEqual(uses, []);
  clock.advance(1);
  await accounts.access("new");
  assert.deepEqual(uses, ["main"]);
});

test("a token of another node is taken again and again while an older record is cached", async () => {
  const found = { account: anAccount(OLD) };
  const { accounts, clock } = accountsOver(found);
  await accounts.record("account");
  found.account = anAccount({ ...NEW, tokenUses: { main: clock.now() } });
  for (let round = 0; round < 3; round++) {
    assert.equal((await accounts.access("new"))?.isOwner, true, `round ${round}`);
  }
});

test("tokens that are known cost no query, and of very many all are looked up again", async () => {
  const queries: string[] = [];
  const nameOf = new Map<string, string>();
  const find = (query: string, keyOf: (key: string) => string) => (keys: readonly string[]) => {
    queries.push(query);
    return Promise.resolve(
      keys.map((key) => anAccount({ accountId: keyOf(key), tokenHash: hashToken(keyOf(key)) })),
    );
  };
  const reader = {
    accounts: {
      byTokens: find("byTokens", (hash) => nameOf.get(hash)!),
      getAll: find("getAll", (accountId) => accountId),
    },
  };
  const noted: string[] = [];
  const act = ({ accountId }: { accountId: string }) => (noted.push(accountId), neverDone());
  const store = { reader, act, isOnlyWriter: true } as unknown as Store;
  const ids = createIds();
  const secretBox = createSecretBox("key", ids);
  const accounts = new Accounts({ store, clock: new ManualClock(), ids, secretBox });
  const use = async (name: string): Promise<readonly string[]> => {
    nameOf.set(hashToken(name), name);
    queries.length = 0;
    assert.equal((await accounts.access(name))?.account.accountId, name);
    return [...queries];
  };
  for (let number = 0; number < TOKENS_MAX; number++) await use(`account-${number}`);
  assert.deepEqual(await use("account-0"), ["getAll"]);
  assert.deepEqual(await use("account-0"), []);
  assert.equal(noted.length, TOKENS_MAX);
  assert.deepEqual(await use("one more"), ["byTokens"]);
  assert.deepEqual(await use("account-0"), ["byTokens"]);
  // That its use was noted is forgotten too, and so is noted twice in a minute.
  assert.deepEqual(noted.slice(TOKENS_MAX), ["one more", "account-0"]);
});
