import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount } from "../../../test/support/messages.ts";
import type { AccountRecord, SecretKeyMark } from "../../core/model/account/account.ts";
import { createIds } from "../../platform/ids.ts";
import { createSecretBox } from "../../platform/secret-box.ts";
import type { ManageOptions } from "./manage-accounts.ts";
import { type RotationStep, SecretKeyRotation } from "./rotate-secret-key.ts";

interface Given {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  readonly accountId: string;
  readonly after: AccountRecord["signingKeys"];
}

const KEYS = ["the secret key before", "the secret key after"] as const;

/** A service with so many accounts, whose keys are encrypted with the first secret key. */
function rotating(count: number, begins: "moving" | null = null) {
  const ids = createIds();
  const before = createSecretBox(KEYS[0], ids);
  const accounts = new Map<string, AccountRecord>();
  for (let number = 0; number < count; number++) {
    const accountId = `account-${String(number).padStart(6, "0")}`;
    const seal = (text: string): string => before.seal(text, accountId);
    const signingKeys = { current: seal("current"), next: seal("next") };
    accounts.set(accountId, anAccount({ accountId, signingKeys }));
  }
  let secretKey: SecretKeyMark | undefined;
  const pages: number[] = [];
  const act = ({ rule, from, to, accountId, after }: Given): unknown => {
    if (rule === "begin-secret-rotation") {
      return begins ?? (secretKey = { keyId: to, previousId: from });
    }
    if (rule === "end-secret-rotation") return (secretKey = { keyId: secretKey!.keyId });
    assert.equal(rule, "reseal-signing-keys");
    accounts.set(accountId, { ...accounts.get(accountId)!, signingKeys: after });
    return undefined;
  };
  const list = (after: string, most: number) => {
    pages.push(most);
    const found = [...accounts.values()].filter(({ accountId }) => accountId > after);
    return Promise.resolve(found.slice(0, most));
  };
  const reader = { service: { get: () => Promise.resolve({ secretKey }) }, accounts: { list } };
  const store = { reader, isOnlyWriter: true, act: (given: Given) => Promise.resolve(act(given)) };
  const secretBox = createSecretBox(KEYS[0], ids, [KEYS[1]]);
  const options = { store, secretBox, ids, accounts: { forget: () => undefined } };
  const rotation = new SecretKeyRotation(options as unknown as ManageOptions, null);
  return { accounts, pages, rotation };
}

test("every account is encrypted again before the rotation ends, however many there are", async () => {
  for (const count of [200, 201]) {
    const { accounts, pages, rotation } = rotating(count);
    const [last, stored] = [...accounts].at(-1)!;
    let step: RotationStep = await rotation.step(undefined);
    for (let steps = 1; !step.isDone && steps < 20; steps++) {
      step = await rotation.step(step.keyId);
      // A node that has not noticed yet writes what it knows, once all were encrypted again.
      if (steps === 1) accounts.set(last, stored);
    }
    assert.equal(step.isDone, true);
    const after = createSecretBox(KEYS[1], createIds());
    for (const { accountId, signingKeys } of accounts.values()) {
      assert.equal(after.open(signingKeys.current, accountId), "current");
      assert.equal(after.open(signingKeys.next, accountId), "next");
    }
    assert.ok(pages.every((most) => most <= 200));
  }
});

test("a rotation does not begin while the data moves to another store", async () => {
  const { accounts, rotation } = rotating(1, "moving");
  const [before] = accounts.values();
  await assert.rejects(rotation.step(undefined), /is moving to another store/);
  assert.deepEqual([...accounts.values()], [before]);
});
