import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { Budget } from "./budget.ts";

const LARGE = 100_000;

function budgetOf(totalMax: number, waitingMax = 10) {
  const clock = new ManualClock();
  const budget = new Budget({
    clock,
    totalMax,
    reserveBytes: LARGE,
    waitingMax,
    waitMsMax: 30_000,
    firstMsMax: 10_000,
    refusal: () => new Error("too many wait"),
  });
  return { clock, budget };
}

/** Charges bytes, and reports the state of the charge. */
function charged(budget: Budget, bytes: number, owner = "", onExpire = () => undefined) {
  const charge = budget.open(owner, onExpire);
  const seen = { charge, state: "waiting" };
  if (charge.grow(bytes)) seen.state = "admitted";
  else watch(seen, charge.wait(bytes));
  return seen;
}

function watch(seen: { state: string }, waiting: Promise<void>): void {
  seen.state = "waiting";
  waiting.then(
    () => (seen.state = "admitted"),
    (error: Error) => (seen.state = error.message),
  );
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test("what fits is admitted, one goes first beyond the budget, and the rest waits", async () => {
  const { budget } = budgetOf(3 * LARGE);
  const fitting = charged(budget, 2 * LARGE);
  const first = charged(budget, 2 * LARGE);
  const second = charged(budget, 2 * LARGE);
  const third = charged(budget, LARGE);
  await turns();
  assert.equal(fitting.state, "admitted");
  assert.equal(first.state, "admitted");
  assert.equal(second.state, "waiting");
  assert.equal(third.state, "waiting", "large ones do not overtake");
  assert.equal(budget.held, 4 * LARGE);
  fitting.charge.release();
  await turns();
  assert.deepEqual([second.state, third.state], ["admitted", "admitted"]);
  for (const { charge } of [first, second, third]) charge.release();
  assert.equal(budget.held, 0);
});

test("bodies that are all half there come to their end one after the other", async () => {
  const { budget } = budgetOf(4 * LARGE);
  const bodies = [1, 2, 3, 4].map(() => charged(budget, LARGE));
  for (const body of bodies) watch(body, body.charge.wait(LARGE));
  for (const ended of [1, 2, 3, 4]) {
    await turns();
    const done = bodies.filter(({ state }) => state === "admitted");
    assert.ok(done.length > 0, `after ${ended - 1} have ended`);
    done[0]!.state = "ended";
    done[0]!.charge.release();
  }
  assert.equal(budget.held, 0);
});

test("small charges have a reserve of their own", async () => {
  const { budget } = budgetOf(LARGE);
  charged(budget, LARGE);
  charged(budget, 5 * LARGE);
  assert.equal(charged(budget, LARGE).state, "waiting");
  assert.equal(charged(budget, 1_000).state, "admitted");
  assert.equal(charged(budget, LARGE - 40_000).state, "admitted");
  assert.equal(charged(budget, 60_000).state, "waiting", "the reserve is bounded too");
});

test("of those that wait the owner that holds least goes first", async () => {
  const { budget } = budgetOf(4 * LARGE);
  const greedy = [1, 2, 3, 4].map(() => charged(budget, LARGE, "greedy"));
  const more = [1, 2].map(() => charged(budget, LARGE, "greedy"));
  const modest = charged(budget, LARGE, "modest");
  await turns();
  assert.deepEqual([more[0]!.state, more[1]!.state], ["admitted", "waiting"]);
  assert.equal(modest.state, "waiting");
  greedy[0]!.charge.release();
  await turns();
  assert.equal(modest.state, "admitted");
  assert.equal(more[1]!.state, "waiting");
});

test("those that wait too long, and those that are too many, are refused", async () => {
  const { budget, clock } = budgetOf(LARGE, 1);
  charged(budget, LARGE);
  charged(budget, LARGE);
  const waiting = charged(budget, LARGE);
  const refused = charged(budget, LARGE);
  await turns();
  assert.equal(refused.state, "too many wait");
  clock.advance(30_000);
  await turns();
  assert.equal(waiting.state, "too many wait");
  assert.equal(budget.waiting, 0);
});

test("the charge that goes first is asked to end while others wait", async () => {
  const { budget, clock } = budgetOf(LARGE);
  let asked = 0;
  charged(budget, LARGE);
  const first = charged(budget, LARGE, "", () => void asked++);
  clock.advance(20_000);
  assert.equal(asked, 0);
  const waiting = charged(budget, LARGE);
  clock.advance(10_000);
  assert.equal(asked, 1);
  first.charge.release();
  await turns();
  assert.equal(waiting.state, "admitted");
});

test("a charge that is released waits no more", async () => {
  const { budget } = budgetOf(LARGE);
  const [one, first, gone, next] = [1, 2, 3, 4].map(() => charged(budget, LARGE));
  gone!.charge.release();
  one!.charge.release();
  await turns();
  assert.equal(next!.state, "admitted");
  first!.charge.release();
  next!.charge.release();
  assert.equal(budget.held, 0);
});
