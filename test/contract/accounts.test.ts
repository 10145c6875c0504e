import assert from "node:assert/strict";

import { anAccount } from "../support/messages.ts";
import { contract } from "./scene.ts";

contract("accounts", (promise) => {
  promise("an account is found by its id and by either token", async (scene) => {
    const account = anAccount({ accountId: "one" });
    assert.equal(await scene.act({ rule: "add-account", account }), "added");
    await scene.addAccount("two");
    const { reader } = scene.store;
    assert.deepEqual(await reader.account("one"), account);
    assert.deepEqual(await reader.accountByToken(account.tokenHash), account);
    assert.deepEqual(await reader.accountByToken(account.readOnlyTokenHash), account);
    assert.equal(await reader.account("nobody"), null);
    assert.equal(await reader.accountByToken("nobody"), null);
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
    assert.equal((await scene.store.reader.account("account"))?.tokenHash, "first");
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
    assert.deepEqual((await reader.account("one"))?.signingKeys, {
      current: "third",
      next: "fourth",
    });
    assert.equal((await reader.account("two"))?.signingKeys.next, "two-next");
    assert.equal((await reader.accountByToken("one-token"))?.signingKeys.next, "fourth");
  });
});
