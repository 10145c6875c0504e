import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import type { Problem } from "../../../core/problem.ts";
import { nextTurn } from "../../../platform/turn.ts";
import { PAGE_BYTES_MAX } from "../../../store/reader/page.ts";
import type { Answer } from "../answers/answer.ts";
import type { AccountCall, AccountRoute, Api } from "../server/call.ts";
import { answerList, createListGate, LIST_WAIT_MS_MAX, LISTS_AT_ONCE_MAX } from "./list-gate.ts";
import { refusalAnswer } from "../answers/problem-answer.ts";
import { ROUTES } from "../../routes.ts";

test("a list too many waits, and is refused with the headers that clients know", async () => {
  const clock = new ManualClock(1_800_000_000_500);
  const gate = createListGate(clock);
  const enter = async (accountId: string): Promise<void> => {
    const list = gate.open(accountId);
    if (!list.grow(1)) await list.wait(1);
  };
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

test("a list holds its place until it is answered, and reserves a page before it is made", async () => {
  const listGate = createListGate(new ManualClock());
  const steps: string[] = [];
  const reserve = (bytes: number): Promise<void> => {
    steps.push(`reserves ${bytes}`);
    return Promise.resolve();
  };
  const api = { listGate, context: { reserve } } as unknown as Api;
  const call = {
    accountId: "one",
    request: { socket: new EventEmitter() },
  } as unknown as AccountCall;
  const made = Promise.withResolvers<Answer>();
  const routeWith = (needs: "read" | "write"): AccountRoute =>
    ({
      needs,
      handler: () => {
        steps.push(needs);
        return made.promise;
      },
    }) as unknown as AccountRoute;
  const lists = Array.from({ length: LISTS_AT_ONCE_MAX + 1 }, () =>
    answerList(api, routeWith("read"), call),
  );
  const bulk = answerList(api, routeWith("write"), call);
  await nextTurn();
  assert.equal(listGate.held, LISTS_AT_ONCE_MAX + 1);
  assert.equal(steps.filter((step) => step === "read").length, LISTS_AT_ONCE_MAX);
  assert.ok(steps.includes("write"), "a bulk change does not wait for lists");
  assert.equal(steps[0], `reserves ${PAGE_BYTES_MAX}`);
  made.resolve({ status: 200, body: "" });
  await Promise.all([...lists, bulk]);
  assert.equal(listGate.held, 0);
});

test("every route that lists, or changes all that match, is counted", () => {
  const listing =
    /^Lists (?!the steps)|^The older name of `\/v2\/logs`|that match|^\*\*Deletes a queue|^Shows the account|^Shows in one answer|^Counts the runs/;
  const wrong = ROUTES.filter(({ says, lists }) => listing.test(says) !== (lists === true));
  assert.deepEqual(
    wrong.map(({ method, path, says }) => `${method} ${path}: ${says}`),
    [],
  );
});
