import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Problem } from "../../core/problem.ts";
import { HookLimit } from "./hook-limit.ts";

const RUN = { accountId: "account", runId: "run", createdAt: 1 };

function isRefused(error: unknown): boolean {
  return (
    error instanceof Problem &&
    error.status === 429 &&
    error.retryAfterSeconds === 1 &&
    error.rate?.limit === 100
  );
}

test("a run takes a hundred calls at once, then ten in a second", () => {
  const clock = new ManualClock();
  const limit = new HookLimit(clock);
  for (let count = 0; count < 100; count++) limit.countTaken(RUN);
  assert.throws(() => limit.countTaken(RUN), isRefused);
  limit.countTaken({ ...RUN, runId: "other" });
  clock.advance(1_000);
  for (let count = 0; count < 10; count++) limit.countTaken(RUN);
  assert.throws(() => limit.countTaken(RUN), isRefused);
});

test("calls that no run takes count for their address, an IPv6 network as one", () => {
  const limit = new HookLimit(new ManualClock());
  for (let count = 0; count < 100; count++) limit.countRefused(`2001:db8::${count.toString(16)}`);
  assert.throws(() => limit.countRefused("2001:db8::ffff"), isRefused);
  limit.countRefused("2001:db8:0:1::");
  limit.countTaken(RUN);
});
