import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountBacklog } from "./backlog.ts";

test("before the first claim every account may have messages that wait", () => {
  assert.equal(new AccountBacklog().has("one"), true);
});

test("after a claim those accounts wait that it has seen", () => {
  const backlog = claimed(true, ["busy"]);
  assert.deepEqual([backlog.has("busy"), backlog.has("quiet")], [true, false]);
  backlog.endClaim(true, null);
  assert.equal(backlog.has("quiet"), true, "it did not see all");
  backlog.endClaim(false, ["busy"]);
  assert.deepEqual([backlog.has("busy"), backlog.isAny], [false, false]);
});

test("a message that could not start makes its account wait until a later claim has seen it", () => {
  const backlog = claimed(true, ["busy"]);
  backlog.add("quiet");
  assert.equal(backlog.has("quiet"), true);
  backlog.beginClaim();
  backlog.add("late");
  backlog.endClaim(true, ["busy"]);
  assert.deepEqual([backlog.has("quiet"), backlog.has("late")], [false, true]);
});

function claimed(isAny: boolean, accountIds: readonly string[]): AccountBacklog {
  const backlog = new AccountBacklog();
  backlog.beginClaim();
  backlog.endClaim(isAny, accountIds);
  return backlog;
}
