import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import { createIds } from "../../platform/ids.ts";
import { matchesPassword } from "../../platform/password.ts";
import { hashToken } from "../../platform/token.ts";
import * as managing from "./manage-accounts.ts";
import * as tokens from "./tokens.ts";

const LINES_WOKEN_MAX = 500;

/** A store in which each change of an account has this answer, with so many lines. */
function manage(answer: unknown, linesCount = 0, found = anAccount()) {
  const acts: { rule: string; lines?: readonly string[] }[] = [];
  const forgotten: string[] = [];
  let rings = 0;
  let deletions = 0;
  const names = Array.from({ length: linesCount }, (_, line) => String(line).padStart(5, "0"));
  const reader = {
    accounts: {
      get: () => Promise.resolve(answer === null ? null : found),
      contents: () => Promise.resolve({}),
    },
    lines: {
      names: (_accountId: string, after: string, count: number) =>
        Promise.resolve(names.filter((name) => name > after).slice(0, count)),
    },
  };
  const act = (given: { rule: string }): Promise<unknown> => {
    acts.push(given);
    return Promise.resolve(given.rule === "make-lines-due" ? undefined : answer);
  };
  const options = {
    store: { reader, act },
    clock: new ManualClock(),
    ids: createIds(),
    accounts: { forget: (accountId: string) => forgotten.push(accountId) },
    logins: { forget: (customerId: string) => forgotten.push(customerId) },
    bell: { ring: () => (rings += 1) },
    deletionBell: { ring: () => (deletions += 1) },
  } as unknown as managing.ManageOptions;
  const woken = (): number[] => acts.flatMap(({ lines }) => (lines ? [lines.length] : []));
  return { options, acts, forgotten, woken, rings: () => rings, deletions: () => deletions };
}

const change = (fields: managing.AccountChange["fields"]): managing.AccountChange =>
  ({ fields, overrides: {} }) as managing.AccountChange;

test("every line of an account that may send again is made due, a page at a time", async () => {
  for (const fields of [{ isPaused: false }, { isSuspended: false }]) {
    const { options, woken, rings } = manage(anAccount(), 2 * LINES_WOKEN_MAX + 1);
    await managing.changeAccount(options, "account", change(fields));
    assert.deepEqual(woken(), [LINES_WOKEN_MAX, LINES_WOKEN_MAX, 1]);
    assert.equal(rings(), 3);
  }
  const exact = manage(anAccount(), LINES_WOKEN_MAX);
  await managing.changeAccount(exact.options, "account", change({ isPaused: false }));
  assert.deepEqual(exact.woken(), [LINES_WOKEN_MAX]);
});

test("no line is made due for any other change, or while the account is still held", async () => {
  for (const [account, fields] of [
    [anAccount(), { isPaused: true }],
    [anAccount(), { budgetDollars: 5 }],
    [anAccount({ isSuspended: true }), { isPaused: false }],
    [anAccount({ isPaused: true }), { isSuspended: false }],
  ] as const) {
    const { options, woken } = manage(account, 3);
    await managing.changeAccount(options, "account", change(fields));
    assert.deepEqual(woken(), []);
  }
});

test("what is cached of a changed account is dropped, of its tokens and of its password", async () => {
  const { accountId, customerId } = anAccount();
  const changed = manage(anAccount());
  await managing.changeAccount(changed.options, accountId, change({ isPaused: true }));
  assert.deepEqual(changed.forgotten, [accountId, customerId]);
  const rotated = manage(anAccount());
  await managing.rotateCredentials(rotated.options, accountId, 0);
  assert.deepEqual(rotated.forgotten, [accountId, customerId]);
});

test("a deletion begins at once where the account is named, and what is cached of it is dropped", async () => {
  const { accountId, customerId } = anAccount();
  const deleted = manage(anAccount());
  const wrong = managing.deleteAccount(deleted.options, accountId, `${customerId}x`);
  await assert.rejects(wrong, /confirm: is not the customer_id/);
  assert.deepEqual([deleted.acts, deleted.deletions()], [[], 0]);
  await managing.deleteAccount(deleted.options, accountId, customerId);
  assert.deepEqual(deleted.forgotten, [accountId, customerId]);
  assert.deepEqual([deleted.acts.length, deleted.deletions()], [1, 1]);
});

test("an account that the next start would make again is not deleted", async () => {
  for (const fields of [
    { customerId: "owner" },
    { accountId: "00000000-0000-4000-8000-000000000001" },
    { accountId: "defaultUser" },
    { accountId: "testUser3" },
  ]) {
    const account = anAccount(fields);
    const { options, acts } = manage(account, 0, account);
    const asked = managing.deleteAccount(options, account.accountId, account.customerId);
    await assert.rejects(asked, { kind: "forbidden" }, JSON.stringify(fields));
    assert.deepEqual(acts, []);
  }
});

test("an account that is being deleted is not brought back", async () => {
  const leaving = anAccount({ deletingSince: 1, isSuspended: true });
  const { options, woken, acts } = manage(leaving, 3, leaving);
  const { accountId } = leaving;
  const gone = { kind: "forbidden" };
  await assert.rejects(
    managing.changeAccount(options, accountId, change({ isPaused: true })),
    gone,
  );
  assert.deepEqual(woken(), []);
  acts.length = 0;
  await assert.rejects(managing.rotateCredentials(options, accountId, 0), gone);
  assert.deepEqual(acts, []);
});

test("new credentials are kept as hashes, each as its own", async () => {
  const { options, acts } = manage(anAccount());
  const { secrets } = await managing.rotateCredentials(options, "account", 5_000);
  const [{ credentials, graceMs }] = acts as unknown as [
    { credentials: Record<string, string>; graceMs: number },
  ];
  assert.deepEqual(
    [credentials["tokenHash"], credentials["readOnlyTokenHash"], graceMs],
    [hashToken(secrets.token), hashToken(secrets.readOnlyToken), 5_000],
  );
  assert.equal(await matchesPassword(secrets.password, credentials["passwordHash"]!), true);
});

test("an account that does not exist is not found", async () => {
  const { options, acts } = manage(null);
  const missing = { kind: "not-found" };
  await assert.rejects(managing.getAccount(options, "none"), missing);
  await assert.rejects(managing.changeAccount(options, "none", change({})), missing);
  const token = { name: "ci", isReadOnly: false, lifeMs: null };
  await assert.rejects(tokens.addToken(options, "none", token), missing);
  await assert.rejects(tokens.revokeToken(options, "none", "tok_1"), missing);
  acts.length = 0;
  // Before a password is drawn, which takes a while.
  await assert.rejects(managing.rotateCredentials(options, "none", 0), missing);
  assert.deepEqual(acts, []);
});

test("a token is refused by its name or number, and else is known at once", async () => {
  const token = { name: "ci", isReadOnly: true, lifeMs: 5_000 };
  const add = (answer: unknown) => tokens.addToken(manage(answer).options, "account", token);
  await assert.rejects(add("name-taken"), /name: another token of the account has it/);
  await assert.rejects(add("too-many"), /named tokens; revoke one first/);
  const { options, forgotten } = manage(anAccount());
  const { facts } = await tokens.addToken(options, "account", token);
  assert.deepEqual(forgotten, ["account"]);
  assert.deepEqual([facts.isReadOnly, facts.lastUsedAt], [true, null]);
  assert.equal(facts.expiresAt! - facts.createdAt, 5_000);
  const forever = await tokens.addToken(options, "account", { ...token, lifeMs: null });
  assert.equal(forever.facts.expiresAt, null);
});

test("the two tokens of every account are not revoked alone", async () => {
  const { options, acts, forgotten } = manage(anAccount());
  for (const tokenId of ["main", "read-only"]) {
    const refused = tokens.revokeToken(options, "account", tokenId);
    await assert.rejects(refused, { kind: "invalid-request" }, tokenId);
  }
  assert.deepEqual(acts, []);
  await tokens.revokeToken(options, "account", "tok_1");
  assert.deepEqual(forgotten, ["account"]);
});
