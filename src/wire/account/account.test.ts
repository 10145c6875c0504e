import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount } from "../../../test/support/messages.ts";
import { LIMIT_FIELDS, NO_LIMIT } from "../../core/policy/limits/limits.ts";
import { accountJson, ownAccountJson } from "./account.ts";

const ACCOUNT = anAccount({
  overrides: { urlGroupsMax: 5, parallelismMax: null },
  createdAt: 1_999,
  planChangedAt: 2_999,
  createdBy: "root",
  budgetDollars: 20,
});

test("an account shows its state and its limits", () => {
  const shown = accountJson(ACCOUNT, "US-East-1") as Record<string, unknown>;
  const { customer_id, id, password, token, read_only_token, active, state } = shown;
  assert.deepEqual(
    [customer_id, id, password, token, read_only_token, active, state],
    ["account@example.com", "account", "", "", undefined, true, "active"],
  );
  const { modifying_state, paused, dialect, type, reserved_type, region, budget } = shown;
  assert.deepEqual(
    [modifying_state, paused, dialect, type, reserved_type, region, budget],
    ["", false, null, "paid", "", "us-east-1", 20],
  );
  const { created_by, creation_time, last_plan_upgrade_time, limit_overrides } = shown;
  assert.deepEqual([created_by, creation_time, last_plan_upgrade_time], ["root", 1, 2]);
  assert.deepEqual(limit_overrides, { max_topics: 5, max_global_parallelism: NO_LIMIT });
  const fixed = [shown["reserved_price"], shown["prod_pack_enabled"], shown["prometheus_enabled"]];
  assert.deepEqual(fixed, [0, false, "false"]);
  assert.deepEqual([shown["max_topics"], shown["max_queues"]], [5, 100]);
  assert.ok(Object.keys(shown).length > LIMIT_FIELDS.length);
});

const stateShown = (fields: Parameters<typeof anAccount>[0]) => {
  const json = accountJson(anAccount(fields), "") as Record<string, unknown>;
  return ["active", "state", "modifying_state", "type", "reserved_type", "region"].map(
    (name) => json[name],
  );
};

test("a suspended one is passive, and its plan is named by type", () => {
  assert.deepEqual(stateShown({ isSuspended: true, plan: "free" }), [
    false,
    "passive",
    "suspended",
    "free",
    "",
    "eu-central-1",
  ]);
  assert.deepEqual(stateShown({ plan: "svc_fixed_1m" }), [
    true,
    "active",
    "",
    "paid",
    "svc_fixed_1m",
    "eu-central-1",
  ]);
});

test("secrets are shown where they are given", () => {
  const secrets = { token: "t", readOnlyToken: "r", password: "p" };
  const { token, read_only_token, password } = accountJson(ACCOUNT, "", secrets);
  assert.deepEqual([token, read_only_token, password], ["t", "r", "p"]);
});

test("an account sees what its token may do, and how much it uses", () => {
  const usage = [{ field: "urlGroupsMax", used: 3 }] as const;
  const own = (isReadOnly: boolean) => ownAccountJson({ account: ACCOUNT, isReadOnly, usage }, "");
  assert.deepEqual([own(true).access, own(false).access], ["read-only", "full"]);
  assert.deepEqual(own(true).usage, [
    { limit: "max_topics", used: 3, max: 5, says: "URL groups." },
  ]);
});
