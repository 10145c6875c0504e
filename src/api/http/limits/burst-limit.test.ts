import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { anAccount } from "../../../../test/support/messages.ts";
import type { Account } from "../../../core/model/account/account.ts";
import type { Problem } from "../../../core/problem.ts";
import { BurstLimit } from "./burst-limit.ts";
import { refusalAnswer } from "../answers/problem-answer.ts";
import { ROUTES } from "../../routes.ts";

function accountWith(accountId: string, requestsPerSecondMax: number | null): Account {
  return anAccount({ accountId, overrides: { requestsPerSecondMax } });
}

test("an account has its number of calls in each second, whatever others do", () => {
  const clock = new ManualClock(1_800_000_000_500);
  const limit = new BurstLimit(clock);
  const [one, other] = [accountWith("one", 3), accountWith("other", 3)];
  for (let call = 0; call < 3; call++) limit.count(one);
  assert.throws(() => limit.count(one), { kind: "burst-limit", status: 429 });
  limit.count(other);
  clock.advance(500);
  limit.count(one);
});

test("a clock that is set back does not keep an account waiting", () => {
  const clock = new ManualClock(1_800_000_000_500);
  const limit = new BurstLimit(clock);
  const account = accountWith("one", 1);
  limit.count(account);
  clock.step(-3_600_000);
  limit.count(account);
});

test("without a limit nothing is counted", () => {
  const limit = new BurstLimit(new ManualClock());
  const free = accountWith("free", null);
  for (let call = 0; call < 10_000; call++) limit.count(free);
});

test("the refusal has headers that no client takes for those of a day", () => {
  const limit = new BurstLimit(new ManualClock(1_800_000_000_500));
  const account = accountWith("one", 1);
  limit.count(account);
  let problem: unknown;
  try {
    limit.count(account);
  } catch (error) {
    problem = error;
  }
  assert.deepEqual(refusalAnswer(problem as Problem).headers, [
    "Retry-After",
    "1",
    "Burst-RateLimit-Limit",
    "1",
    "Burst-RateLimit-Remaining",
    "0",
    "Burst-RateLimit-Reset",
    "1800000001",
  ]);
});

test("what publishes is spared, and what endpoints call of their runs; nothing else is", () => {
  const publishing = /^\/v2\/(publish|enqueue|batch|trigger|notify|wait)\b/;
  for (const { method, path, needs, publishes } of ROUTES) {
    if (needs === "open") continue;
    const isSpared =
      (method === "POST" && publishing.test(path)) || path.startsWith("/v2/workflows/runs/");
    assert.equal(publishes === true, isSpared, `${method} ${path}`);
  }
});
