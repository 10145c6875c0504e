import assert from "node:assert/strict";

import { NAMED_TOKENS_MAX } from "../../src/core/model/account/account.ts";
import { anAccount } from "../support/messages.ts";
import { contract } from "./scene.ts";

contract("accounts", (promise) => {
  promise("an account is found by its id and by either token", async (scene) => {
    const account = anAccount({ accountId: "one" });
    assert.equal(await scene.act({ rule: "add-account", account }), "added");
    await scene.addAccount("two");
    const { reader } = scene.store;
    assert.deepEqual(await reader.accounts.get("one"), account);
    assert.equal(await reader.accounts.get("nobody"), null);
    const two = await reader.accounts.get("two");
    assert.deepEqual(await reader.accounts.getAll(["two", "nobody", "one"]), [two, null, account]);
    const { tokenHash, readOnlyTokenHash } = account;
    assert.deepEqual(
      await reader.accounts.byTokens([readOnlyTokenHash, "nobody", "two-token", tokenHash]),
      [account, null, two, account],
    );
    assert.deepEqual(await reader.accounts.byTokens([]), []);
  });

  promise("the first of several that add it wins", async (scene) => {
    const first = anAccount({ tokenHash: "first" });
    const second = anAccount({ tokenHash: "second" });
    const answers = await Promise.all([
      scene.act({ rule: "add-account", account: first }),
      scene.act({ rule: "add-account", account: second }),
    ]);
    assert.deepEqual(answers.toSorted(), ["added", "exists"]);
    assert.equal(await scene.act({ rule: "add-account", account: second }), "exists");
    assert.equal((await scene.store.reader.accounts.get("account"))?.tokenHash, "first");
  });

  promise("rotating makes the next signing key the current one", async (scene) => {
    await scene.addAccount("one");
    await scene.addAccount("two");
    const rotate = (accountId: string, next: string) =>
      scene.act({ rule: "rotate-signing-keys", accountId, next });
    assert.deepEqual(await rotate("one", "third"), { current: "one-next", next: "third" });
    assert.deepEqual(await rotate("one", "fourth"), { current: "third", next: "fourth" });
    assert.equal(await rotate("nobody", "x"), null);
    const { reader } = scene.store;
    assert.deepEqual((await reader.accounts.get("one"))?.signingKeys, {
      current: "third",
      next: "fourth",
    });
    assert.equal((await reader.accounts.get("two"))?.signingKeys.next, "two-next");
    const [found] = await reader.accounts.byTokens(["one-token"]);
    assert.equal(found?.signingKeys.next, "fourth");
  });

  promise("no two accounts belong to the same customer", async (scene) => {
    const one = anAccount({ accountId: "one", customerId: "a@example.com" });
    const two = anAccount({ accountId: "two", customerId: "a@example.com" });
    const answers = await Promise.all([
      scene.act({ rule: "add-account", account: one }),
      scene.act({ rule: "add-account", account: two }),
    ]);
    assert.deepEqual(answers.toSorted(), ["added", "customer-exists"]);
    const { reader } = scene.store;
    const [kept] = await reader.accounts.list("", 10);
    assert.deepEqual(await reader.accounts.byCustomer("a@example.com"), kept);
    assert.equal(await reader.accounts.byCustomer("b@example.com"), null);
    const other = anAccount({ accountId: "three", customerId: "b@example.com" });
    assert.equal(await scene.act({ rule: "add-account", account: other }), "added");
  });

  promise("accounts are listed by their ids", async (scene) => {
    for (const accountId of ["b", "c", "a"]) await scene.addAccount(accountId);
    const { reader } = scene.store;
    const ids = async (after: string, count: number) =>
      (await reader.accounts.list(after, count)).map(({ accountId }) => accountId);
    assert.deepEqual(await ids("", 10), ["a", "b", "c"]);
    assert.deepEqual(await ids("", 2), ["a", "b"]);
    assert.deepEqual(await ids("b", 2), ["c"]);
  });

  promise(
    "tokens and password are rotated at once; the old tokens are found if they stay",
    async (scene) => {
      await scene.addAccount("one");
      const at = scene.clock.now();
      const rotate = (name: string, graceMs: number) =>
        scene.act({
          rule: "rotate-credentials",
          at,
          accountId: "one",
          credentials: {
            tokenHash: `${name}-token`,
            readOnlyTokenHash: `${name}-read-only`,
            passwordHash: `${name}-password`,
          },
          graceMs,
        });
      const { reader } = scene.store;
      const first = await rotate("first", 0);
      assert.equal(first?.passwordHash, "first-password");
      const replaced = ["one-token", "one-read-only-token"];
      assert.deepEqual(await reader.accounts.byTokens(replaced), [null, null]);
      const second = await rotate("second", 60_000);
      assert.deepEqual(second?.previousTokens, {
        tokenHash: "first-token",
        readOnlyTokenHash: "first-read-only",
        until: at + 60_000,
      });
      const hashes = ["first-token", "first-read-only", "second-token", "second-read-only"];
      assert.deepEqual(await reader.accounts.byTokens(hashes), Array(4).fill(second));
      await rotate("third", 0);
      assert.deepEqual(await reader.accounts.byTokens(hashes), Array(4).fill(null));
    },
  );

  promise("a plan and overrides are changed, and what is not named stays", async (scene) => {
    await scene.addAccount("one", 7);
    const at = scene.clock.now();
    const base = { rule: "change-account", at, accountId: "one" } as const;
    const moved = await scene.act({ ...base, fields: { plan: "free", budgetDollars: 20 } });
    assert.equal(moved?.limits.queuesMax, 10);
    assert.equal(moved?.limits.parallelismMax, 7);
    assert.equal(moved?.planChangedAt, at);
    const set = { queuesMax: 3, urlGroupsMax: 2 };
    await scene.act({ ...base, fields: {}, overrides: { set, unset: ["parallelismMax"] } });
    const { limits, budgetDollars, planChangedAt } =
      (await scene.store.reader.accounts.get("one"))!;
    assert.deepEqual([limits.queuesMax, limits.urlGroupsMax, limits.parallelismMax], [3, 2, 10]);
    assert.equal(budgetDollars, 20);
    assert.equal(planChangedAt, at);
    assert.equal(await scene.act({ ...base, accountId: "nobody", fields: {} }), null);
  });

  promise(
    "the first of several operators is kept, beside the switch of deliveries",
    async (scene) => {
      const name = (user: string) =>
        scene.act({ rule: "set-operator", operator: { user, passwordHash: `${user}-hash` } });
      assert.deepEqual(await scene.store.reader.service.get(), { operator: null, isPaused: false });
      assert.deepEqual((await Promise.all([name("a"), name("b")])).toSorted(), ["exists", "set"]);
      const { operator } = await scene.store.reader.service.get();
      await scene.act({ rule: "pause-service", isPaused: true });
      assert.deepEqual(await scene.store.reader.service.get(), { operator, isPaused: true });
    },
  );

  promise("named tokens are added, used and revoked, each name once", async (scene) => {
    await scene.addAccount("one");
    const at = scene.clock.now();
    const named = (name: string) => ({
      rule: "add-token" as const,
      accountId: "one",
      token: {
        tokenId: `id-of-${name}`,
        name,
        tokenHash: `hash-of-${name}`,
        isReadOnly: false,
        createdAt: at,
        expiresAt: null,
      },
    });
    const answers = await Promise.all(["ci", "ci", "other"].map((name) => scene.act(named(name))));
    assert.equal(answers.filter((answer) => answer === "name-taken").length, 1);
    const use = (tokenId: string, usedAt: number) =>
      scene.act({ rule: "use-token", accountId: "one", tokenId, at: usedAt });
    await Promise.all([use("id-of-ci", at), use("main", at), use("unknown", at)]);
    await use("id-of-ci", at + 59_999);
    await use("main", at + 60_000);
    const stored = await scene.store.reader.accounts.get("one");
    assert.deepEqual(stored?.tokenUses, { "id-of-ci": at, main: at + 60_000 });
    const revoke = () => scene.act({ rule: "revoke-token", accountId: "one", tokenId: "id-of-ci" });
    const revoked = await revoke();
    assert.deepEqual(
      revoked?.namedTokens.map(({ name }) => name),
      ["other"],
    );
    assert.deepEqual(revoked?.tokenUses, { main: at + 60_000 });
    assert.equal(await revoke(), null);
  });

  promise("an account has a bounded number of named tokens", async (scene) => {
    const namedTokens = Array.from({ length: NAMED_TOKENS_MAX }, (_, index) => token(`${index}`));
    const account = anAccount({ accountId: "one", namedTokens });
    await scene.act({ rule: "add-account", account });
    const add = { rule: "add-token", accountId: "one", token: token("one more") } as const;
    assert.equal(await scene.act(add), "too-many");
    await scene.act({ rule: "revoke-token", accountId: "one", tokenId: "7" });
    assert.notEqual(await scene.act(add), "too-many");
  });
});

function token(name: string) {
  return {
    tokenId: name,
    name,
    tokenHash: name,
    isReadOnly: true,
    createdAt: 0,
    expiresAt: null,
  };
}
