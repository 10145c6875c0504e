import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { Problem } from "../../core/problem.ts";
import { createListGate, LIST_WAIT_MS_MAX, LISTS_AT_ONCE_MAX } from "./list-gate.ts";
import { refusalAnswer } from "./problem-answer.ts";
import { ROUTES } from "../routes.ts";

test("a list too many waits, and is refused with the headers that clients know", async () => {
  const clock = new ManualClock(1_800_000_000_500);
  const gate = createListGate(clock);
  const enter = (accountId: string) => gate.enter(accountId, 1).admitted;
  for (let list = 0; list < LISTS_AT_ONCE_MAX; list++) await enter("one");
  const refused = enter("one").then(
    () => assert.fail("it was let in"),
    (problem: Problem) => refusalAnswer(problem),
  );
  clock.advance(LIST_WAIT_MS_MAX - 1);
  await enter("other");
  clock.advance(1);
  const { status, headers } = await refused;
  assert.equal(status, 429);
  assert.deepEqual(headers, [
    "Retry-After",
    "1",
    "Burst-RateLimit-Limit",
    String(LISTS_AT_ONCE_MAX),
    "Burst-RateLimit-Remaining",
    "0",
    "Burst-RateLimit-Reset",
    "1800000011",
  ]);
});

test("every route that lists, or changes all that match, is counted", () => {
  const listing =
    /^Lists (?!the steps)|^The older name of `\/v2\/logs`|that match|^\*\*Deletes a queue|^Shows the account/;
  const wrong = ROUTES.filter(({ says, lists }) => listing.test(says) !== (lists === true));
  assert.deepEqual(
    wrong.map(({ method, path, says }) => `${method} ${path}: ${says}`),
    [],
  );
});
