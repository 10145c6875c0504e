import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readAccountPage,
  readBudget,
  readDialect,
  readGraceMs,
  readLimits,
  readNewAccount,
  readNothing,
  readPlan,
} from "./account-request.ts";

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

test("a new account is free, without a budget and with the limits of its plan", () => {
  assert.deepEqual(readNewAccount(bytes({ customer_id: "team@example.com" })), {
    customerId: "team@example.com",
    plan: "free",
    budgetDollars: 0,
    overrides: {},
  });
  const given = { plan_name: "paid", budget: 20, limits: { max_topics: 5, max_delay: 60 } };
  assert.deepEqual(readNewAccount(bytes({ customer_id: "a", ...given })), {
    customerId: "a",
    plan: "paid",
    budgetDollars: 20,
    overrides: { urlGroupsMax: 5, delayMsMax: 60_000 },
  });
});

const named = (customer: string) => readNewAccount(bytes({ customer_id: customer })).customerId;

test("the owner of an account has a name of 1 to 254 characters", () => {
  assert.equal(named("a".repeat(254)).length, 254);
  for (const name of ["", "a b", "a:b", "a\u0000", "a".repeat(255), "\u{1f600}"]) {
    assert.throws(() => named(name), /customer_id: must be 1 to 254 characters/, name);
  }
});

const limited = (limits: object) => readNewAccount(bytes({ customer_id: "a", limits }));

test("limits of a new account are not null, and no others are known", () => {
  assert.throws(() => limited({ max_topics: null }), /limits: max_topics is null/);
  assert.throws(() => limited({ max_dreams: 5 }), /max_dreams: is not a limit/);
  assert.throws(() => limited({ max_topics: -1 }), /max_topics: must be a whole number from 0/);
});

test("limits are set, or return to those of the plan", () => {
  const given = { max_topics: 5, max_queues: null, max_requests_per_second: 2_147_483_647 };
  assert.deepEqual(readLimits(bytes(given)), {
    set: { urlGroupsMax: 5, requestsPerSecondMax: null },
    unset: ["queuesMax"],
  });
});

const planOf = (plan: unknown) => readPlan(bytes({ plan_name: plan }));

test("a plan has our name or the public service's", () => {
  assert.equal(planOf("paid"), "paid");
  assert.equal(planOf("svc_fixed_1m"), "svc_fixed_1m");
  assert.equal(planOf("qstash_fixed_1m"), "svc_fixed_1m");
  assert.throws(() => planOf("gold"), /plan_name: there is no plan gold; must be one of free, /);
  assert.throws(() => planOf(7), /plan_name: must be one of free, paid, /);
});

const budgetOf = (budget: unknown) => readBudget(bytes({ budget }));

test("a budget is none, or from 20 to 10,000 dollars", () => {
  for (const budget of [0, 20, 10_000]) assert.equal(budgetOf(budget), budget);
  for (const budget of [-1, 1, 19, 10_001, 20.5, "20", null]) {
    assert.throws(() => budgetOf(budget), /budget: must be 0 for no bound, or from 20 to 10000/);
  }
});

test("a dialect is one of three, or null", () => {
  for (const dialect of ["svc", "upstash", "both", null]) {
    assert.deepEqual(readDialect(bytes({ dialect })), { dialect });
  }
  const refused = /dialect: must be one of svc, upstash, both, or null/;
  assert.throws(() => readDialect(bytes({ dialect: "other" })), refused);
});

test("old tokens stay valid for up to 7 days", () => {
  assert.equal(readGraceMs(""), 0);
  assert.equal(readGraceMs("grace=10m"), 600_000);
  assert.equal(readGraceMs("grace=7d"), 604_800_000);
  assert.throws(() => readGraceMs("grace=7d1s"), /grace: is longer than 7d/);
});

test("a page has 1,000 accounts, or as many as are asked for up to that", () => {
  assert.deepEqual(readAccountPage(""), { after: "", count: 1_000 });
  assert.equal(readAccountPage("count=5").count, 5);
  assert.equal(readAccountPage("count=1000").count, 1_000);
  assert.throws(() => readAccountPage("count=1001"), /count: is more than 1000/);
});

test("where nothing is read, a body is empty or an empty object", () => {
  readNothing(new Uint8Array());
  readNothing(bytes({}));
  assert.throws(() => readNothing(bytes({ a: 1 })));
  assert.throws(() => readNothing(bytes([])));
  assert.throws(() => readNothing(bytes(1)));
});
