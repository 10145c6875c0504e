import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import { createIds } from "../../platform/ids.ts";
import { createSecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../store/store.ts";
import { Accounts, type AccountsOptions } from "./accounts.ts";

/** Keys that are known without being decrypted. */
const KEYS_MAX = 10_000;

test("what is sent after a rotation of the signing keys is signed with the new one", async () => {
  const ids = createIds();
  const secretBox = createSecretBox("key", ids);
  const keysOf = (current: string, next: string) => ({
    current: secretBox.seal(current, "account"),
    next: secretBox.seal(next, "account"),
  });
  let signingKeys = keysOf("one", "two");
  const overrides = { eventBytesMax: 7 };
  const reader = {
    accounts: { getAll: () => Promise.resolve([anAccount({ signingKeys, overrides })]) },
  };
  const act = () => Promise.resolve((signingKeys = keysOf("two", "three")));
  const store = { reader, act, isOnlyWriter: true } as unknown as Store;
  const accounts = new Accounts({ store, clock: new ManualClock(), ids, secretBox });
  assert.equal(await accounts.signingKey("account"), "one");
  assert.deepEqual(await accounts.rotateSigningKeys("account"), { current: "two", next: "three" });
  assert.equal(await accounts.signingKey("account"), "two");
  assert.equal(await accounts.eventBytesMax("account"), 7);
});

test("a signing key is decrypted once, and of very many all are decrypted again", async () => {
  let opened = 0;
  const secretBox = { open: (sealed: string) => ((opened += 1), sealed) };
  const reader = {
    accounts: { getAll: (ids: readonly string[]) => Promise.resolve(ids.map(recordOf)) },
  };
  const store = { reader, isOnlyWriter: true } as unknown as Store;
  const options = { store, clock: new ManualClock(), ids: createIds(), secretBox };
  const accounts = new Accounts(options as unknown as AccountsOptions);
  const sign = async (accountId: string): Promise<void> =>
    assert.equal(await accounts.signingKey(accountId), `key of ${accountId}`);
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < KEYS_MAX; number++) await sign(`account-${number}`);
    assert.equal(opened, KEYS_MAX);
  }
  for (const accountId of ["one more", "account-1"]) await sign(accountId);
  assert.equal(opened, KEYS_MAX + 2);
});

function recordOf(accountId: string): AccountRecord {
  return anAccount({ accountId, signingKeys: { current: `key of ${accountId}`, next: "" } });
}
