import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount } from "../../../test/support/messages.ts";
import { encodeAccount, toAccountRecord } from "./resource-tables.ts";

test("an account is read as it was written, with the limits of its plan", () => {
  const account = anAccount({ plan: "free", overrides: { parallelismMax: null, urlGroupsMax: 3 } });
  const text = encodeAccount(account);
  assert.ok(!text.includes("queuesMax"));
  assert.deepEqual(toAccountRecord({ record: text }), account);
});
