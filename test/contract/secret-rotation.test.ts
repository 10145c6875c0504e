/** The secret key is rotated: by what is killed at any point, by two at once, and while others write. */
import assert from "node:assert/strict";
import type { AccountRecord, SigningKeys } from "../../src/core/model/account/account.ts";
import { SecretKeyRotation } from "../../src/operations/account/rotate-secret-key.ts";
import type { RotationStep } from "../../src/operations/account/rotate-secret-key.ts";
import { Accounts } from "../../src/operations/account/accounts.ts";
import { createAccount, type ManageOptions } from "../../src/operations/account/manage-accounts.ts";
import { requireSecretKey } from "../../src/operations/account/secret-key.ts";
import { createIds } from "../../src/platform/ids.ts";
import { createSecretBox, type SecretBox } from "../../src/platform/secret-box.ts";
import { NO_FACTS, NODE_SILENT_MS_MAX } from "../../src/store/node-facts.ts";
import type { Store } from "../../src/store/store.ts";
import { anAccount } from "../support/messages.ts";
import { makePasswordsQuick } from "../support/quick-passwords.ts";
import { STORES } from "../support/stores.ts";
import { contract, contractOf, type Scene } from "./scene.ts";

const ids = createIds();
const KEYS = Array.from({ length: 60 }, (_, index) => `the secret key with number ${index}`);
const ACCOUNTS = ["a", "b", "c"];

makePasswordsQuick();

contract("rotation of the secret key", (promise) => {
  promise(
    "killed before or after any call of the store, it goes on with both keys",
    async (scene) => {
      await fill(scene, KEYS[0]!);
      let kills = 0;
      for (let round = 0; ; round++) {
        const keys = KEYS.slice(round, round + 2);
        const isAfter = round % 2 === 1;
        const killed = processOf(killing(scene.store, round >> 1, isAfter), keys);
        const wasKilled = await killed
          .then((process) => rotate(process))
          .then(
            () => false,
            (error: Error) => /killed/.test(error.message),
          );
        await requireOpened(scene, keys);
        await rotate(await processOf(scene.store, keys));
        await requireOpened(scene, [keys[1]!]);
        if (wasKilled) kills += 1;
        else if (isAfter) break;
      }
      // It begins, encrypts three accounts, and ends; it reads before each.
      assert.ok(kills > 15, `${kills} kills`);
    },
  );

  promise("what is encrypted meanwhile is encrypted with the new key", async (scene) => {
    const [before, next] = KEYS as [string, string];
    await fill(scene, before);
    const other = await processOf(scene.store, [before, next]);
    const stale = other.secretBox.keyId;
    const rotating = await processOf(scene.store, [before, next]);
    const first = await rotating.rotation.step(undefined);
    assert.deepEqual([first.previousId, first.accounts, first.isDone], [stale, 3, false]);
    const created = await createAccount(other, aWish("created"), "");
    assert.equal(keyIdsOf(rotating.secretBox, created.account), first.keyId);
    other.secretBox.use(stale);
    const rotated = await new Accounts(other).rotateSigningKeys("b");
    assert.equal(rotated.current, "b-next");
    await rotate(rotating, first);
    await requireOpened(scene, [next], { b: rotated });
  });

  promise(
    "an account that changes in its turn is encrypted again by the next pass",
    async (scene) => {
      const [before, next] = KEYS as [string, string];
      await fill(scene, before);
      const { rotation, secretBox } = await processOf(
        beforeAct(scene.store, "reseal-signing-keys", async () => {
          const signingKeys = sealed(createSecretBox(before, ids), "b", "changed");
          const { current, next: after } = (await scene.store.reader.accounts.get("b"))!
            .signingKeys;
          await scene.act({
            rule: "reseal-signing-keys",
            accountId: "b",
            before: { current, next: after },
            after: signingKeys,
          });
        }),
        [before, next],
      );
      const steps: RotationStep[] = [await rotation.step(undefined)];
      while (!steps.at(-1)!.isDone && steps.length < STEPS_MAX) {
        steps.push(await rotation.step(steps[0]!.keyId));
      }
      assert.deepEqual(
        steps.map(({ accounts }) => accounts),
        [3, 1, 0],
      );
      const b = (await scene.store.reader.accounts.get("b"))!;
      assert.equal(createSecretBox(next, ids).open(b.signingKeys.current, "b"), "changed");
      assert.equal(secretBox.keyIdOf(b.signingKeys.next, "b"), steps[0]!.keyId);
    },
  );

  promise("two at once end together; one with another new key is refused", async (scene) => {
    const [before, next, third] = KEYS as [string, string, string];
    await fill(scene, before);
    const one = await processOf(scene.store, [before, next]);
    const two = await processOf(scene.store, [before, next]);
    const another = await processOf(scene.store, [before, third]);
    const [first, second] = await Promise.all([
      one.rotation.step(undefined),
      two.rotation.step(undefined),
    ]);
    assert.equal(first.keyId, second.keyId);
    await assert.rejects(another.rotation.step(undefined), /the one with the id|another rotation/);
    await Promise.all([rotate(one, first), rotate(two, second)]);
    await requireOpened(scene, [next]);
    // A caller that goes on after the end begins no other.
    assert.equal((await one.rotation.step(first.keyId)).isDone, true);
    await assert.rejects(one.rotation.step("0".repeat(16)), /another rotation/);
  });

  promise("a process that lacks the key of the store begins no other rotation", async (scene) => {
    const [before, next, third] = KEYS as [string, string, string];
    await fill(scene, before);
    const behind = await processOf(scene.store, [before, third]);
    await rotate(await processOf(scene.store, [before, next]));
    const { secretKey } = await scene.store.reader.service.get();
    await assert.rejects(behind.rotation.step(undefined), /the one with the id/);
    assert.deepEqual((await scene.store.reader.service.get()).secretKey, secretKey);
  });

  promise("a start needs the keys that the store names", async (scene) => {
    const [before, next, other] = KEYS as [string, string, string];
    await fill(scene, before);
    await assert.rejects(processOf(scene.store, [next]), /does not decrypt the stored keys/);
    const rotating = await processOf(scene.store, [before, next]);
    const first = await rotating.rotation.step(undefined);
    await assert.rejects(processOf(scene.store, [before]), /they need the one with the id/);
    const previousId = rotating.secretBox.keyIds.find((keyId) => keyId !== first.keyId);
    const wanted = new RegExp(`with the id ${previousId} as --previous-secret-key`);
    await assert.rejects(processOf(scene.store, [next]), wanted);
    await rotate(rotating, first);
    await processOf(scene.store, [next]);
    await assert.rejects(processOf(scene.store, [before, other]), /this is \w+ and \w+; give it/);
    await assert.rejects(processOf(scene.store, [before]), (error: Error) => {
      assert.ok(error.message.includes(first.keyId));
      assert.ok(!KEYS.some((key) => error.message.includes(key)));
      return true;
    });
    const upcoming = await scene.store.upcoming(0);
    assert.deepEqual(upcoming.secretKey, { keyId: first.keyId });
  });

  promise(
    "a key that decrypts nothing of an account ends it, with the account's id",
    async (scene) => {
      const [before, next, other] = KEYS as [string, string, string];
      await fill(scene, before);
      const signingKeys = sealed(createSecretBox(other, ids), "d", "lost");
      await scene.act({ rule: "add-account", account: anAccount({ accountId: "d", signingKeys }) });
      const { rotation } = await processOf(scene.store, [before, next]);
      await assert.rejects(rotation.step(undefined), /signing keys of the account d;/);
      assert.notEqual((await scene.store.reader.service.get()).secretKey?.previousId, undefined);
    },
  );
});

contractOf([STORES.at(-1)!], "rotation of the secret key on several nodes", (promise) => {
  promise(
    "a live node that has only one of the keys is named, and nothing is begun",
    async (scene) => {
      const [before, next] = KEYS as [string, string];
      await fill(scene, before);
      const { rotation, secretBox } = await processOf(scene.store, [before, next]);
      const { keyIds } = secretBox;
      await scene.store.beat("one", false, { ...NO_FACTS, name: "has-both", keyIds });
      await scene.store.beat("two", false, { ...NO_FACTS, name: "lacks", keyIds: [keyIds[0]!] });
      await assert.rejects(rotation.step(undefined), /these nodes .*: lacks \(two\); start each/);
      assert.equal((await scene.store.reader.service.get()).secretKey, undefined);
      await scene.store.beat("two", false, { ...NO_FACTS, name: "lacks", keyIds });
      assert.equal((await rotation.step(undefined)).accounts, 3);
      // One that came later keeps it from ending.
      await scene.store.beat("three", false, { ...NO_FACTS, name: "late", keyIds: [keyIds[1]!] });
      await assert.rejects(rotation.step(undefined), /: late \(three\)/);
      // One that is gone does not.
      scene.clock.advance(NODE_SILENT_MS_MAX);
      assert.equal((await rotation.step(undefined)).isDone, true);
    },
  );
});

interface Process extends ManageOptions {
  readonly rotation: SecretKeyRotation;
}

/** What a process has that was started with these keys, the earlier one first. */
async function processOf(store: Store, keys: readonly string[]): Promise<Process> {
  const [first, ...others] = keys;
  const secretBox = createSecretBox(first!, ids, others);
  await requireSecretKey({ store, secretBox });
  const options = { store, clock: store.clock, ids, secretBox };
  const manage = { ...options, accounts: new Accounts(options) } as unknown as ManageOptions;
  return { ...manage, rotation: new SecretKeyRotation(manage, null) };
}

async function rotate({ rotation }: Process, begun?: RotationStep): Promise<void> {
  let step = begun ?? (await rotation.step(undefined));
  for (let steps = 1; !step.isDone; steps++) {
    assert.ok(steps < STEPS_MAX, "the rotation does not come to an end");
    step = await rotation.step(step.keyId);
  }
}

/** A pass of so few accounts is one step, and two passes without a change of another are all. */
const STEPS_MAX = 10;

async function fill(scene: Scene, secretKey: string): Promise<void> {
  const box = createSecretBox(secretKey, ids);
  for (const accountId of ACCOUNTS) {
    const signingKeys = sealed(box, accountId, `${accountId}-current`);
    await scene.act({ rule: "add-account", account: anAccount({ accountId, signingKeys }) });
  }
}

function sealed(box: SecretBox, accountId: string, current: string): SigningKeys {
  return { current: box.seal(current, accountId), next: box.seal(`${accountId}-next`, accountId) };
}

/** A process with these keys starts, and opens everything, as it was. */
async function requireOpened(
  { store }: Scene,
  keys: readonly string[],
  changed: Readonly<Record<string, SigningKeys>> = {},
): Promise<void> {
  const { secretBox } = await processOf(store, keys);
  for (const { accountId, signingKeys } of await store.reader.accounts.list("", 100)) {
    const opened = {
      current: secretBox.open(signingKeys.current, accountId),
      next: secretBox.open(signingKeys.next, accountId),
    };
    if (!ACCOUNTS.includes(accountId)) continue;
    const made = { current: `${accountId}-current`, next: `${accountId}-next` };
    assert.deepEqual(opened, changed[accountId] ?? made);
  }
}

/** The id of the key that has sealed both. */
function keyIdsOf(box: SecretBox, { accountId, signingKeys }: AccountRecord): string {
  const found = Object.values(signingKeys).map((text) => box.keyIdOf(text, accountId));
  assert.equal(found[0], found[1]);
  return found[0]!;
}

function aWish(customerId: string) {
  return { customerId, plan: "free", overrides: {}, budgetDollars: 0 } as const;
}

/** A store whose caller dies at one of its calls: before it is made, or before its answer arrives. */
function killing(store: Store, callsLeft: number, isAfter: boolean): Store {
  let left = callsLeft;
  const call = async <T>(make: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left < -1 || (left === -1 && !isAfter)) throw new Error("killed");
    const answer = await make();
    if (left === -1) throw new Error("killed");
    return answer;
  };
  const { reader } = store;
  return {
    clock: store.clock,
    isOnlyWriter: store.isOnlyWriter,
    act: (act: Parameters<Store["act"]>[0]) => call(() => store.act(act)),
    reader: {
      service: {
        get: () => call(() => reader.service.get()),
        nodes: () => call(() => reader.service.nodes()),
      },
      accounts: {
        list: (after: string, count: number) => call(() => reader.accounts.list(after, count)),
      },
    },
  } as unknown as Store;
}

/** A store in which something happens before the first act of a rule. */
function beforeAct(store: Store, rule: string, happens: () => Promise<void>): Store {
  let hasHappened = false;
  const act = async (given: Parameters<Store["act"]>[0]): Promise<unknown> => {
    if (given.rule === rule && "accountId" in given && given.accountId === "b" && !hasHappened) {
      hasHappened = true;
      await happens();
    }
    return store.act(given);
  };
  return {
    clock: store.clock,
    isOnlyWriter: store.isOnlyWriter,
    reader: store.reader,
    act,
  } as unknown as Store;
}
