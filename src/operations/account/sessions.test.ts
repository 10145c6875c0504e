import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import { createIds } from "../../platform/ids.ts";
import { createSecretBox } from "../../platform/secret-box.ts";
import { hashToken } from "../../platform/token.ts";
import type { Accounts } from "./accounts.ts";
import type { Logins } from "./logins.ts";
import { SESSION_MS, Sessions } from "./sessions.ts";

const TOKEN = "a-token-of-the-account";

function open() {
  const clock = new ManualClock();
  const secretBox = createSecretBox("a-secret-key", createIds());
  const stored: { account: AccountRecord; operatorSecret: string | null } = {
    account: anAccount({ tokenHash: hashToken(TOKEN), passwordHash: "a hash" }),
    operatorSecret: "the operator's password",
  };
  const accounts = {
    record: () => Promise.resolve(stored.account),
    accessByHash: (_accountId: string, tokenHash: string) =>
      tokenHash === stored.account.tokenHash ? accessOf(stored.account) : null,
  } as unknown as Accounts;
  const logins = {
    operatorSecret: (user: string) =>
      Promise.resolve(user === "root" ? stored.operatorSecret : null),
  } as unknown as Logins;
  const sessions = new Sessions({ accounts, logins, clock, secretBox });
  const account = stored.account;
  const begin: Readonly<Record<Kind, () => Promise<string>>> = {
    token: () => Promise.resolve(sessions.ofToken(TOKEN, accessOf(account))),
    account: () => Promise.resolve(sessions.ofAccount(account)),
    password: () => sessions.ofLogin({ kind: "account", account }),
    operator: () => sessions.ofLogin({ kind: "operator", user: "root" }),
  };
  return { clock, stored, sessions, secretBox, begin };
}

const KINDS = ["token", "account", "password", "operator"] as const;
type Kind = (typeof KINDS)[number];

function accessOf(account: AccountRecord) {
  return { account, isReadOnly: false, isOwner: true };
}

for (const kind of KINDS) {
  test(`a session by ${kind} ends after a day, to the millisecond`, async () => {
    const { clock, sessions, begin } = open();
    const sealed = await begin[kind]();
    const wanted = kind === "operator" ? "operator" : "account";
    assert.equal((await sessions.open(sealed))?.access.kind, wanted);
    clock.advance(SESSION_MS - 1);
    assert.equal((await sessions.open(sealed))?.access.kind, wanted);
    clock.advance(1);
    assert.equal(await sessions.open(sealed), null);
    clock.advance(SESSION_MS);
    assert.equal(await sessions.open(sealed), null);
  });

  test(`a session by ${kind} is old after half a day, and is renewed for a day from then`, async () => {
    const { clock, sessions, begin } = open();
    const sealed = await begin[kind]();
    clock.advance(SESSION_MS / 2);
    assert.equal((await sessions.open(sealed))?.isOld, false);
    clock.advance(1);
    const old = await sessions.open(sealed);
    assert.equal(old?.isOld, true);
    const renewed = old.renew();
    assert.equal((await sessions.open(renewed))?.isOld, false);
    clock.advance(SESSION_MS - 1);
    assert.equal(await sessions.open(sealed), null);
    const again = (await sessions.open(renewed))!.renew();
    clock.advance(1);
    assert.equal(await sessions.open(renewed), null);
    clock.advance(SESSION_MS - 2);
    assert.notEqual(await sessions.open(again), null);
    clock.advance(1);
    assert.equal(await sessions.open(again), null);
  });

  test(`a session by ${kind} ends with its credentials, also when it was renewed`, async () => {
    const { stored, sessions, begin } = open();
    const sealed = await begin[kind]();
    const renewed = (await sessions.open(sealed))!.renew();
    stored.account = { ...stored.account, tokenHash: "another", passwordHash: "another hash" };
    stored.operatorSecret = "another password";
    assert.deepEqual([await sessions.open(sealed), await sessions.open(renewed)], [null, null]);
    stored.account = { ...stored.account, passwordHash: null };
    stored.operatorSecret = null;
    assert.deepEqual([await sessions.open(sealed), await sessions.open(renewed)], [null, null]);
  });
}

test("a session by password is the owner's", async () => {
  const { sessions, begin } = open();
  const session = await sessions.open(await begin.password());
  assert.deepEqual(
    session?.access.kind === "account" && [
      session.access.access.isOwner,
      session.access.access.isReadOnly,
    ],
    [true, false],
  );
});

test("what is sealed for an account, with another key or not at all is no session", async () => {
  const { clock, stored, sessions, secretBox } = open();
  const { accountId, tokenHash } = stored.account;
  const text = JSON.stringify({ by: "token", accountId, tokenHash, until: clock.now() + 1_000 });
  const other = createSecretBox("another-key", createIds());
  const forged = [
    secretBox.seal(text, accountId),
    other.seal(text, "session of the dashboard"),
    text,
    btoa(text),
    "",
  ];
  for (const sealed of forged) assert.equal(await sessions.open(sealed), null, sealed);
});

test("the command line's own sign-in begins no session", async () => {
  const { sessions } = open();
  await assert.rejects(
    sessions.ofLogin({ kind: "operator", user: "operator" }),
    (error) => error instanceof Problem && error.status === 401,
  );
});

test("an account without a password has no session by one", async () => {
  const { stored, sessions } = open();
  stored.account = { ...stored.account, passwordHash: null };
  const sealed = await sessions.ofLogin({ kind: "account", account: stored.account });
  assert.equal(await sessions.open(sealed), null);
});
