import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { Settings } from "../../config/settings.ts";
import type { AccountRecord, Operator } from "../../core/model/account/account.ts";
import { OWNER_OVERRIDES } from "../../core/policy/limits/limits.ts";
import { createIds } from "../../platform/ids.ts";
import { createSecretBox } from "../../platform/secret-box.ts";
import { accountIdIn, encodeToken, hashToken } from "../../platform/token.ts";
import type { AccountsOptions } from "./accounts.ts";
import { devCredentials, publicCredentials } from "./public-credentials.ts";
import { prepareAccounts } from "./first-accounts.ts";

interface Given {
  rule: string;
  account: AccountRecord;
  operator?: Operator;
}

/** A service whose accounts and operator stay from one start to the next. */
class Service {
  readonly accounts = new Map<string, AccountRecord>();
  operator: Operator | null = null;
  readonly clock = new ManualClock();
  /** Another node is faster with what this one wants to add. */
  beforeAct: () => void = () => undefined;

  async start(settings: Partial<Settings>, secretKey = "the key of the service 0123456789") {
    const all = { mode: "serve", adminUser: "admin", ...settings } as Settings;
    const shown: unknown[] = [];
    const note = (prepared: unknown): void => void shown.push(prepared);
    const prepared = await prepareAccounts(all, this.#options(secretKey), note);
    // Also where the start fails after this.
    assert.deepEqual(shown, [prepared]);
    return prepared;
  }

  only(): AccountRecord {
    assert.equal(this.accounts.size, 1);
    return [...this.accounts.values()][0]!;
  }

  #options(secretKey: string): AccountsOptions {
    const ids = createIds();
    const all = (): AccountRecord[] => [...this.accounts.values()];
    const reader = {
      accounts: {
        get: (id: string) => Promise.resolve(this.accounts.get(id) ?? null),
        byCustomer: (id: string) =>
          Promise.resolve(all().find(({ customerId }) => customerId === id) ?? null),
        list: (_after: string, count: number) => Promise.resolve(all().slice(0, count)),
      },
      service: { get: () => Promise.resolve({ operator: this.operator }) },
    };
    const store = { reader, act: (given: Given) => Promise.resolve(this.#act(given)) };
    const secretBox = createSecretBox(secretKey, ids);
    return { store, clock: this.clock, ids, secretBox } as unknown as AccountsOptions;
  }

  #act({ rule, account, operator }: Given): string {
    this.beforeAct();
    if (rule === "set-operator") {
      if (this.operator !== null) return "exists";
      this.operator = operator!;
      return "set";
    }
    const isKnown = [...this.accounts.values()].some(
      ({ accountId, customerId }) =>
        accountId === account.accountId || customerId === account.customerId,
    );
    if (isKnown) return "exists";
    this.accounts.set(account.accountId, account);
    this.operator ??= operator ?? null;
    return "added";
  }
}

test("a new service shows its secrets and its operator once", async () => {
  const service = new Service();
  const first = await service.start({});
  const account = service.only();
  assert.equal(account.tokenHash, hashToken(first.credentials!.token));
  assert.equal(account.readOnlyTokenHash, hashToken(first.credentials!.readOnlyToken));
  assert.notEqual(first.credentials!.token, first.credentials!.readOnlyToken);
  assert.notEqual(first.credentials!.currentSigningKey, first.credentials!.nextSigningKey);
  assert.equal(accountIdIn(first.credentials!.token), account.accountId);
  assert.equal(accountIdIn(first.credentials!.readOnlyToken), account.accountId);
  assert.equal(first.isSeedIgnored, false);
  assert.equal(first.operator?.user, "admin");
  assert.equal(first.operator?.password.length, 24);
  assert.equal(service.operator?.user, "admin");
  const again = await service.start({});
  assert.deepEqual(again, { credentials: null, isSeedIgnored: false, operator: null });
  service.only();
});

test("the first account has no limits, is active, and its keys are sealed", async () => {
  const service = new Service();
  const { credentials } = await service.start({});
  const account = service.only();
  assert.equal(account.plan, "paid");
  assert.equal(account.planChangedAt, 0);
  assert.deepEqual(account.overrides, OWNER_OVERRIDES);
  assert.equal(account.isSuspended || account.isPaused, false);
  assert.equal(account.createdAt, service.clock.now());
  const { current, next } = account.signingKeys;
  assert.ok(!`${current} ${next}`.includes(credentials!.currentSigningKey));
  const box = createSecretBox("the key of the service 0123456789", createIds());
  assert.equal(box.open(current, account.accountId), credentials!.currentSigningKey);
  assert.equal(box.open(next, account.accountId), credentials!.nextSigningKey);
});

test("given secrets are taken, and the id that a given token names", async () => {
  const service = new Service();
  const given = {
    token: encodeToken("mine", "password of mine"),
    readOnlyToken: "another token",
    currentSigningKey: "sig_current",
    nextSigningKey: "sig_next",
  };
  const { credentials } = await service.start(given);
  assert.deepEqual(credentials, given);
  assert.equal(service.only().accountId, "mine");
});

test("a token that is not the account's is said to be ignored, and the account's own is not", async () => {
  const service = new Service();
  const { credentials } = await service.start({});
  const { token } = credentials!;
  assert.equal((await service.start({ token })).isSeedIgnored, false);
  assert.equal((await service.start({ token: "another" })).isSeedIgnored, true);
  assert.equal((await service.start({ token: "another" })).credentials, null);
  service.only();
});

test("of nodes that start at once, one shows the secrets", async () => {
  const service = new Service();
  const other = new Service();
  await other.start({});
  service.beforeAct = () => {
    const account = other.only();
    service.accounts.set(account.accountId, account);
    service.operator = other.operator;
  };
  const late = await service.start({ token: "another" });
  assert.deepEqual(late, { credentials: null, isSeedIgnored: true, operator: null });
  assert.equal(service.only(), other.only());
});

test("a node that is late with the same token is not told that it was ignored", async () => {
  const token = encodeToken("mine", "password of mine");
  const [service, other] = [new Service(), new Service()];
  await other.start({ token });
  service.beforeAct = () => service.accounts.set("mine", other.only());
  assert.equal((await service.start({ token })).isSeedIgnored, false);
});

test("a given password of the operator is stored nowhere, and none is drawn", async () => {
  const service = new Service();
  const { credentials, operator } = await service.start({ adminPassword: "given" });
  assert.notEqual(credentials, null);
  assert.equal(operator, null);
  assert.equal(service.operator, null);
});

test("a service that has no operator yet is given one, by one node", async () => {
  const service = new Service();
  await service.start({ adminPassword: "given" });
  service.beforeAct = () => {
    service.operator = { user: "admin", passwordHash: "of another node" };
  };
  assert.equal((await service.start({})).operator, null);
  service.beforeAct = () => undefined;
  service.operator = null;
  const { operator } = await service.start({ adminUser: "root" });
  assert.equal(operator?.user, "root");
  assert.equal((await service.start({})).operator, null);
});

test("another secret key stops the start", async () => {
  const service = new Service();
  await service.start({});
  const wrong = "another key than that of the first start";
  await assert.rejects(service.start({}, wrong), /the secret key does not decrypt the stored keys/);
  const dev = new Service();
  await dev.start({ mode: "dev" });
  await assert.rejects(dev.start({ mode: "dev" }, wrong), /does not decrypt/);
});

test("dev has the same accounts everywhere, whose secrets are all public", async () => {
  const service = new Service();
  for (const round of [1, 2]) {
    const started = await service.start({ mode: "dev" });
    const expected = { credentials: devCredentials(), isSeedIgnored: false, operator: null };
    assert.deepEqual(started, expected, `start ${round}`);
  }
  const ids = ["defaultUser", "testUser1", "testUser2", "testUser3"];
  assert.deepEqual([...service.accounts.keys()], ids);
  const hashes = publicCredentials().map(({ token }) => hashToken(token));
  assert.deepEqual(
    [...service.accounts.values()].map(({ tokenHash }) => tokenHash),
    hashes,
  );
  assert.equal(devCredentials().token, publicCredentials()[0]!.token);
  // As the public clients have them in their dev mode.
  assert.deepEqual(
    publicCredentials().map(({ token }) => Buffer.from(token, "base64").toString()),
    ["default", "test", "test", "test"].map(
      (word, index) => `{"UserID":"${ids[index]}","Password":"${word}Password"}`,
    ),
  );
  assert.deepEqual(
    publicCredentials().map(({ currentSigningKey, nextSigningKey }) => [
      currentSigningKey,
      nextSigningKey,
    ]),
    [
      ["sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r", "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs"],
      ["sig_7GVPjvuwsfqF65iC8fSrs1dfYruM", "sig_5NoELc3EFnZn4DVS5bDs2Nk4b7Ua"],
      ["sig_6jWGaWRxHsw4vMSPJprXadyvrybF", "sig_7qHbvhmahe5GwfePDiS5Lg3pi6Qx"],
      ["sig_5T8FcSsynBjn9mMLBsXhpacRovJf", "sig_7GFR4YaDshFcqsxWRZpRB161jguD"],
    ],
  );
});

test("serve refuses data of dev, each of its accounts alone", async () => {
  for (const { token } of publicCredentials()) {
    const dev = new Service();
    await dev.start({ mode: "dev" });
    const accountId = accountIdIn(token)!;
    const account = dev.accounts.get(accountId)!;
    dev.accounts.clear();
    dev.accounts.set(accountId, account);
    dev.only();
    await assert.rejects(dev.start({}), /created by postrider dev, whose tokens are public/);
  }
});

test("a first account that has an id of dev is no data of dev", async () => {
  const service = new Service();
  const token = encodeToken("defaultUser", "a password that is not public");
  await service.start({ token });
  assert.equal((await service.start({ token })).isSeedIgnored, false);
});

test("the first account of an earlier version is found by its id", async () => {
  const service = new Service();
  const { credentials } = await service.start({});
  const account = service.only();
  service.accounts.clear();
  const earlierId = "00000000-0000-4000-8000-000000000001";
  const box = createSecretBox("the key of the service 0123456789", createIds());
  const current = box.seal("sig_current", earlierId);
  const signingKeys = { ...account.signingKeys, current };
  const earlier = { ...account, accountId: earlierId, customerId: "earlier", signingKeys };
  service.accounts.set(earlierId, earlier);
  const again = await service.start({ token: credentials!.token });
  assert.deepEqual(again, { credentials: null, isSeedIgnored: false, operator: null });
  service.only();
});
