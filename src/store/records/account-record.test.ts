import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount } from "../../../test/support/messages.ts";
import { ownerLimits } from "../../core/policy/limits/limits.ts";
import { decodeAccount, encodeAccount } from "./account-record.ts";

test("an account is read as it was written, with the limits of its plan", () => {
  const account = anAccount({ plan: "free", overrides: { parallelismMax: null, urlGroupsMax: 3 } });
  const text = encodeAccount(account);
  assert.ok(!text.includes("queuesMax"));
  assert.deepEqual(decodeAccount(text), account);
});

test("an account of the first version, which had limits and no plan, belongs to the owner", () => {
  const { plan: _plan, overrides: _overrides, ...first } = anAccount();
  const limits = { messageBytesMax: 10_485_760, parallelismMax: null };
  const account = decodeAccount(JSON.stringify({ ...first, limits }));
  assert.equal(account.plan, "paid");
  assert.deepEqual(account.limits, ownerLimits());
  assert.equal(account.tokenHash, "account-token");
});
