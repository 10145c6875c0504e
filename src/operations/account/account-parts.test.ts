import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import type { Settings } from "../../config/settings.ts";
import { createIds } from "../../platform/ids.ts";
import type { Store } from "../../store/store.ts";
import { joinAccounts } from "./account-parts.ts";
import { CONTROL_USER } from "./logins.ts";
import { changeAccount } from "./manage-accounts.ts";

const STORED = { user: "stored", passwordHash: "the hash of the stored password" };

/** The parts over a store with an operator and one account, of which they are the only writer. */
function join(settings: Partial<Settings> = {}, secretKey = "the key of the service") {
  let account = anAccount({ isPaused: true });
  const accounts = {
    get: () => Promise.resolve(account),
    getAll: () => Promise.resolve([account]),
  };
  const service = { get: () => Promise.resolve({ operator: STORED }) };
  const lines = { names: () => Promise.resolve(["a line"]) };
  const act = (): Promise<unknown> => {
    account = anAccount({ isPaused: false });
    return Promise.resolve(account);
  };
  const store = { reader: { accounts, service, lines }, act, isOnlyWriter: true };
  const all = { adminUser: "given", ...settings } as Settings;
  const clock = new ManualClock();
  const parts = { clock, machineClock: clock, ids: createIds() };
  return joinAccounts(store as unknown as Store, { keys: [secretKey], folder: null }, all, parts);
}

test("the operator of the settings takes the place of the stored one, when he has a password", async () => {
  const given = join({ adminPassword: "given password" });
  assert.equal(await given.logins.operatorSecret("given"), "given password");
  assert.equal(await given.logins.operatorSecret("stored"), null);
  const stored = join();
  assert.equal(await stored.logins.operatorSecret("given"), null);
  assert.equal(await stored.logins.operatorSecret("stored"), STORED.passwordHash);
});

test("each start draws the secret of the command line, with which it is the operator", async () => {
  const first = join();
  const other = join();
  assert.match(first.controlSecret, /^[1-9A-Za-z]{44}$/);
  assert.notEqual(first.controlSecret, other.controlSecret);
  const credentials = { user: CONTROL_USER, password: first.controlSecret };
  const access = await first.logins.signIn(credentials, "127.0.0.1");
  assert.deepEqual(access, { kind: "operator", user: "operator" });
});

test("nodes with one key open each other's sessions, and a node with another key does not", async () => {
  const settings = { adminPassword: "given password" };
  const login = { kind: "operator", user: "given" } as const;
  const sealed = await join(settings).sessions.ofLogin(login);
  assert.deepEqual((await join(settings).sessions.open(sealed))?.access, login);
  assert.equal(await join(settings, "another key").sessions.open(sealed), null);
  assert.equal(await join({ adminPassword: "changed" }).sessions.open(sealed), null);
});

test("a change of an account is seen at once by all parts, also where records are kept for long", async () => {
  const { accounts, manage, bell } = join();
  const { accountId } = anAccount();
  let rings = 0;
  bell.listen(() => (rings += 1));
  assert.equal((await accounts.record(accountId))?.isPaused, true);
  await changeAccount(manage, accountId, {
    fields: { isPaused: false },
    overrides: { set: {}, unset: [] },
  });
  assert.equal((await accounts.record(accountId))?.isPaused, false);
  assert.equal(rings, 1, "what was held back is looked for");
});
