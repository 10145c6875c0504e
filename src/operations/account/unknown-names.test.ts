import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { createIds } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import type { Store } from "../../store/store.ts";
import { Logins } from "./logins.ts";

test("a name that no account has takes the work of one whose password is wrong", async (t) => {
  const operator = { user: "admin", passwordHash: await hashPassword("right", createIds()) };
  const reader = {
    service: { get: () => Promise.resolve({ operator }) },
    accounts: { byCustomer: () => Promise.resolve(null) },
  };
  const store = { reader } as unknown as Store;
  const options = { store, clock: new ManualClock(), ids: createIds() };
  const logins = new Logins({ ...options, givenOperator: null, controlSecret: null });
  const refused = (user: string, source: string): Promise<void> =>
    assert.rejects(logins.signIn({ user, password: "wrong" }, source), { kind: "unauthorized" });
  const work: unknown[] = [];
  const { scrypt } = crypto;
  t.mock.method(crypto, "scrypt", (...given: Parameters<typeof scrypt>) => {
    work.push(given[3].N);
    scrypt(given[0], given[1], given[2], { ...given[3], N: 2 }, given[4]);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  await refused("admin", "192.0.2.1");
  const ofWrong = work.splice(0);
  // The first such name of a process makes what it is held against.
  await refused("unknown", "192.0.2.2");
  work.length = 0;
  await refused("unknown", "192.0.2.3");
  assert.deepEqual([ofWrong.length, work], [1, ofWrong]);
});
