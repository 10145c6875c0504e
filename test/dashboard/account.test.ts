/** What the console says of an account in a word, and where the menu says one is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardModule } from "../support/dashboard-modules.ts";

interface Account {
  readonly type: string;
  readonly reserved_type: string;
  readonly state: string;
  readonly active: boolean;
  readonly paused: boolean;
}

const { consolePath, planOf, stateOf } = await dashboardModule<{
  consolePath: (verb: string, id: string) => string;
  planOf: (account: Account) => string;
  stateOf: (account: Account) => string;
}>("account/account.ts");
const { isCurrent } = await dashboardModule<{ isCurrent: (href: string, path: string) => boolean }>(
  "shell/menu.ts",
);

const ACCOUNT: Account = {
  type: "free",
  reserved_type: "",
  state: "active",
  active: true,
  paused: false,
};

test("a suspended account is suspended, also when its deliveries are paused", () => {
  assert.equal(stateOf(ACCOUNT), "active");
  assert.equal(stateOf({ ...ACCOUNT, paused: true }), "paused");
  assert.equal(stateOf({ ...ACCOUNT, paused: true, active: false }), "suspended");
  assert.equal(stateOf({ ...ACCOUNT, paused: true, state: "suspended" }), "suspended");
});

test("a plan that was reserved wins over the type", () => {
  assert.equal(planOf(ACCOUNT), "free");
  assert.equal(planOf({ ...ACCOUNT, reserved_type: "large" }), "large");
});

test("an id in a path of the console is one part of it", () => {
  assert.equal(consolePath("pause", "a/b c"), "/v2/svc/pause/a%2Fb%20c");
});

test("an entry of the menu is marked on its screen and the screens below, the overview on its own", () => {
  assert.ok(isCurrent("/runs", "/runs"));
  assert.ok(isCurrent("/runs", "/runs/wfr_1"));
  assert.ok(!isCurrent("/runs", "/runs-of-mine"));
  assert.ok(isCurrent("/", "/"));
  assert.ok(!isCurrent("/", "/runs"));
});
