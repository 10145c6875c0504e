import assert from "node:assert/strict";
import { scryptSync } from "node:crypto";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import { Problem } from "../../core/problem.ts";
import { createIds } from "../../platform/ids.ts";
import type { Store } from "../../store/store.ts";
import { CONTROL_USER, Logins } from "./logins.ts";

const RIGHT = { user: "admin", password: "right password" };
/** Verified passwords that are remembered. */
const RIGHT_PASSWORDS_MAX = 1_000;
const WRONG = { ...RIGHT, password: "wrong password" };

/** With a hash, the operator comes from the store, and each check of the password takes a while. */
function open(passwordHash: string | null = null) {
  const clock = new ManualClock();
  const operator = passwordHash === null ? null : { user: RIGHT.user, passwordHash };
  const service = { get: () => Promise.resolve({ operator }) };
  const accounts = { byCustomer: () => Promise.resolve(null) };
  const store = { reader: { service, accounts } } as unknown as Store;
  const logins = new Logins({
    store,
    clock,
    ids: createIds(),
    givenOperator: operator === null ? RIGHT : null,
    controlSecret: null,
  });
  /** The status of a sign-in. */
  const statusOf = async (given: typeof RIGHT, source: string): Promise<number> => {
    try {
      await logins.signIn(given, source);
      return 200;
    } catch (error) {
      if (error instanceof Problem) return error.status;
      throw error;
    }
  };
  return { clock, logins, statusOf };
}

/** A hash in the stored form that is quick to check. */
function quickHash(password: string, cost = 10): string {
  const salt = Buffer.from("salt");
  const key = scryptSync(password, salt, 32, { N: 2 ** cost, r: 8, p: 1 });
  return ["scrypt", cost, salt.toString("base64url"), key.toString("base64url")].join("$");
}

const addressOf = (number: number): string => `198.51.${number >> 8}.${number & 255}`;

test("strangers cannot lock out an address from which nothing has failed", async () => {
  const { statusOf } = open();
  const statuses = new Map<number, number>();
  for (let round = 0; round < 5; round++) {
    for (let number = 0; number < 40; number++) {
      const status = await statusOf(WRONG, addressOf(number));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  // Each address has one try as a clean one, then they share those of the name.
  assert.deepEqual(
    statuses,
    new Map([
      [401, 90],
      [429, 110],
    ]),
  );
  assert.equal(await statusOf(RIGHT, "192.0.2.1"), 200);
});

test("an address that has failed shares the tries of the name, until it is clean again", async () => {
  const { clock, statusOf } = open();
  for (let number = 0; number < 60; number++) await statusOf(WRONG, addressOf(number));
  for (let number = 0; number < 60; number++) await statusOf(WRONG, addressOf(number));
  assert.equal(await statusOf(RIGHT, addressOf(1)), 429);
  clock.advance(2_000);
  assert.equal(await statusOf(WRONG, addressOf(2)), 401);
  assert.equal(await statusOf(RIGHT, addressOf(1)), 429);
  clock.advance(3_600_000);
  assert.equal(await statusOf(RIGHT, addressOf(1)), 200);
});

test("an address that has signed in is not slowed down by others", async () => {
  const { statusOf } = open();
  assert.equal(await statusOf(RIGHT, "192.0.2.1"), 200);
  assert.equal(await statusOf(WRONG, "192.0.2.1"), 401);
  for (let number = 0; number < 400; number++) await statusOf(WRONG, addressOf(number % 100));
  assert.equal(await statusOf(WRONG, "192.0.2.1"), 401);
});

test("guesses of one name are bounded, from however many addresses", async () => {
  const { statusOf } = open();
  let tried = 0;
  for (let number = 0; number < 1_000; number++) {
    if ((await statusOf(WRONG, addressOf(number))) === 401) tried += 1;
  }
  assert.equal(tried, 100);
});

test("a clean address that is refused for what others try loses none of its own tries", async () => {
  const { clock, statusOf } = open();
  for (let number = 0; number < 100; number++) await statusOf(WRONG, addressOf(number));
  for (let refused = 0; refused < 30; refused++) {
    assert.equal(await statusOf(RIGHT, "192.0.2.1"), 429);
  }
  clock.advance(100);
  assert.equal(await statusOf(RIGHT, "192.0.2.1"), 200);
});

test("a sign-in that is refused because many are being checked does not count", async () => {
  const { statusOf } = open(quickHash(RIGHT.password));
  const others = Array.from({ length: 20 }, (_, number) => statusOf(WRONG, addressOf(number)));
  const refused = await Promise.all(Array.from({ length: 30 }, () => statusOf(RIGHT, "192.0.2.1")));
  assert.deepEqual(new Set(refused), new Set([429]));
  await Promise.all(others);
  assert.equal(await statusOf(RIGHT, "192.0.2.1"), 200);
});

test("addresses of one IPv6 network are one", async () => {
  const { statusOf } = open();
  const statuses: number[] = [];
  for (let number = 1; number <= 12; number++) {
    statuses.push(await statusOf(WRONG, `2001:db8:1:2::${number}`));
  }
  assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429, 429]);
  assert.equal(await statusOf(WRONG, "2001:db8:1:3::1"), 401);
});

/** Logins over one account, with an operator and the secret of the command line. */
function overAccount(
  fields: Parameters<typeof anAccount>[0] = {},
  stored: { user: string; passwordHash: string } | null = null,
) {
  const account = anAccount({ passwordHash: quickHash("of the account"), ...fields });
  const byCustomer = (customerId: string) =>
    Promise.resolve(customerId === account.customerId ? account : null);
  const service = { get: () => Promise.resolve({ operator: stored }) };
  const store = { reader: { service, accounts: { byCustomer } } } as unknown as Store;
  const logins = new Logins({
    store,
    clock: new ManualClock(),
    ids: createIds(),
    givenOperator: RIGHT,
    controlSecret: "secret of the command line",
  });
  return { logins, own: { user: account.customerId, password: "of the account" } };
}

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof Problem && error.status === status;

test("the secret of the command line opens under its own name alone", async () => {
  const { logins, own } = overAccount();
  const password = "secret of the command line";
  const control = await logins.signIn({ user: CONTROL_USER, password }, "127.0.0.1");
  assert.equal(control.kind, "operator");
  for (const given of [
    { user: RIGHT.user, password },
    { user: own.user, password },
    { user: CONTROL_USER, password: "another" },
  ]) {
    await assert.rejects(logins.signIn(given, "127.0.0.1"), refusedWith(401), given.user);
  }
});

test("where the operator is not admitted, neither he nor the command line signs in", async () => {
  const { logins, own } = overAccount();
  const password = "secret of the command line";
  for (const given of [RIGHT, { user: CONTROL_USER, password }]) {
    assert.equal((await logins.signIn(given, "127.0.0.1")).kind, "operator");
    await assert.rejects(logins.signIn(given, "127.0.0.1", false), refusedWith(401));
  }
  assert.equal((await logins.signIn(own, "127.0.0.1", false)).kind, "account");
});

test("tries under the operator's name where he is not admitted do not slow him down elsewhere", async () => {
  const { logins } = overAccount({ customerId: RIGHT.user });
  const atHome = "192.0.2.1";
  await assert.rejects(logins.signIn(WRONG, atHome), refusedWith(401));
  for (let number = 0; number < 120; number++) {
    const elsewhere = logins.signIn(WRONG, addressOf(number % 60), false);
    await assert.rejects(elsewhere, Problem);
  }
  assert.equal((await logins.signIn(RIGHT, atHome)).kind, "operator");
});

test("an operator in the settings takes the place of the stored one", async () => {
  const stored = { user: "earlier", passwordHash: quickHash("earlier password") };
  const { logins } = overAccount({}, stored);
  assert.equal((await logins.signIn(RIGHT, "192.0.2.1")).kind, "operator");
  const earlier = { user: "earlier", password: "earlier password" };
  await assert.rejects(logins.signIn(earlier, "192.0.2.1"), refusedWith(401));
});

test("a suspended account is told so by its right password alone", async () => {
  const { logins, own } = overAccount({ isSuspended: true });
  await assert.rejects(logins.signIn(own, "127.0.0.1"), refusedWith(403));
  await assert.rejects(logins.signIn({ ...own, password: "no" }, "127.0.0.1"), refusedWith(401));
});

test("credentials that were right pass at once, whatever else fails", async () => {
  const { logins, own } = overAccount();
  const { statusOf } = open();
  const { statusOf: statusOfStored } = open(quickHash(RIGHT.password));
  const statusOfAccount = (given: typeof RIGHT, source: string): Promise<number> =>
    logins.signIn(given, source).then(
      () => 200,
      (error: Problem) => error.status,
    );
  for (const [signIn, right] of [
    [statusOf, RIGHT],
    [statusOfStored, RIGHT],
    [statusOfAccount, own],
  ] as const) {
    assert.equal(await signIn(right, "192.0.2.1"), 200);
    for (let number = 0; number < 12; number++)
      await signIn({ ...right, password: "no" }, "192.0.2.1");
    assert.equal(await signIn({ ...right, password: "no" }, "192.0.2.1"), 429);
    assert.equal(await signIn(right, "192.0.2.1"), 200);
  }
});

test("a password that was changed elsewhere is refused after a second, one changed here at once", async () => {
  let account = anAccount({ passwordHash: quickHash("old") });
  const byCustomer = () => Promise.resolve(account);
  const service = { get: () => Promise.resolve({ operator: null }) };
  const store = { reader: { service, accounts: { byCustomer } } } as unknown as Store;
  const clock = new ManualClock();
  const ids = createIds();
  const logins = new Logins({ store, clock, ids, givenOperator: null, controlSecret: null });
  const user = account.customerId;
  const signIn = (password: string) => logins.signIn({ user, password }, "192.0.2.1");
  await signIn("old");
  account = anAccount({ passwordHash: quickHash("new") });
  clock.advance(999);
  await signIn("old");
  clock.advance(1);
  await assert.rejects(signIn("old"), refusedWith(401));
  await signIn("new");
  account = anAccount({ passwordHash: quickHash("newest") });
  logins.forget(user);
  await assert.rejects(signIn("new"), refusedWith(401));
  await signIn("newest");
});

test("sessions of the operator rest on the given password, or on the stored hash", async () => {
  const { logins } = overAccount();
  assert.equal(await logins.operatorSecret(RIGHT.user), RIGHT.password);
  assert.equal(await logins.operatorSecret("another"), null);
  const { logins: stored } = open("the hash");
  assert.equal(await stored.operatorSecret(RIGHT.user), "the hash");
  assert.equal(await stored.operatorSecret("another"), null);
});

test("without a secret no caller signs in under the name of the command line", async () => {
  const { statusOf } = open();
  assert.equal(await statusOf({ user: CONTROL_USER, password: "null" }, "127.0.0.1"), 401);
});

test("of very many right passwords all are forgotten, and none before", async () => {
  const clock = new ManualClock();
  const passwordHash = quickHash("right", 1);
  const byCustomer = (customerId: string) =>
    Promise.resolve(anAccount({ customerId, passwordHash }));
  const service = { get: () => Promise.resolve({ operator: null }) };
  const store = { reader: { service, accounts: { byCustomer } } } as unknown as Store;
  const ids = createIds();
  const logins = new Logins({ store, clock, ids, givenOperator: null, controlSecret: null });
  const signIn = (number: number, password = "right") =>
    logins.signIn({ user: `customer-${number}`, password }, addressOf(number));
  for (let number = 0; number < RIGHT_PASSWORDS_MAX; number++) await signIn(number);
  for (let tried = 0; tried < 10; tried++) await assert.rejects(signIn(0, "no"), refusedWith(401));
  await signIn(0);
  await signIn(RIGHT_PASSWORDS_MAX);
  await assert.rejects(signIn(0), refusedWith(429));
});
