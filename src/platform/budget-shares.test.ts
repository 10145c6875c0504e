import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { Budget, type BudgetOptions } from "./budget.ts";

const refusal = (): Error => new Error("try again");

function shareWith(options: Partial<BudgetOptions>) {
  const clock = new ManualClock();
  const limits = { ownerMax: 2, totalMax: 4, waitMsMax: 10_000, waitingMax: 3, refusal };
  const budget = new Budget({ clock, ...limits, ...options });
  const enter = (owner: string, amount: number) => {
    const charge = budget.open(owner);
    const admitted = charge.grow(amount) ? Promise.resolve() : charge.wait(amount);
    return { admitted, leave: () => charge.release() };
  };
  /** Holds an amount that is already in use. */
  const take = (owner: string, amount: number) => {
    const charge = budget.open(owner);
    charge.resize(amount);
    return { resize: (to: number) => charge.resize(to), leave: () => charge.release() };
  };
  const share = {
    enter,
    take,
    get held() {
      return budget.held;
    },
  };
  return { clock, share };
}

test("what an account asks for beyond its share waits, and is refused after a while", async () => {
  const { clock, share } = shareWith({});
  const entries = [1, 2, 3].map(() => share.enter("one", 1));
  await Promise.all([entries[0]!.admitted, entries[1]!.admitted]);
  clock.advance(9_999);
  share.enter("other", 1).leave();
  const refused = assert.rejects(entries[2]!.admitted, { message: "try again" });
  clock.advance(1);
  await refused;
  entries[2]!.leave();
  assert.equal(share.held, 2);
  for (const entry of entries) entry.leave();
  for (const entry of entries) entry.leave();
  assert.equal(share.held, 0);
});

test("room that becomes free goes to the account that holds least", async () => {
  const { share } = shareWith({});
  const order: string[] = [];
  const enter = (accountId: string) => {
    const entry = share.enter(accountId, 1);
    void entry.admitted.then(() => order.push(accountId));
    return entry;
  };
  const held = ["a", "a", "b", "b"].map(enter);
  ["a", "c", "c"].forEach(enter);
  await Promise.resolve();
  held[0]!.leave();
  held[2]!.leave();
  await Promise.resolve();
  assert.deepEqual(order, ["a", "a", "b", "b", "c", "a"]);
});

test("too many waiting are refused at once, and one that gives up leaves no trace", async () => {
  const { share } = shareWith({ waitingMax: 1 });
  const held = share.enter("one", 2);
  const waiting = share.enter("one", 1);
  await assert.rejects(share.enter("one", 1).admitted, { message: "try again" });
  const refused = assert.rejects(waiting.admitted);
  waiting.leave();
  await refused;
  held.leave();
  assert.equal(share.held, 0);
  await share.enter("one", 2).admitted;
});

test("more than a share is given to an account that holds nothing", async () => {
  const { share } = shareWith({});
  const large = share.enter("one", 9);
  await large.admitted;
  assert.equal(share.held, 9);
  const next = share.enter("other", 1);
  large.leave();
  await next.admitted;
  assert.equal(share.held, 1);
  const beside = share.enter("one", 9);
  await beside.admitted;
  assert.equal(share.held, 10);
});

test("a small request does not overtake a larger one of its account", async () => {
  const { share } = shareWith({ ownerMax: 3 });
  const order: number[] = [];
  const enter = (amount: number) => {
    const entry = share.enter("one", amount);
    void entry.admitted.then(() => order.push(amount));
    return entry;
  };
  const held = enter(2);
  [3, 1].forEach(enter);
  await Promise.resolve();
  assert.deepEqual(order, [2]);
  held.leave();
  await Promise.resolve();
  assert.deepEqual(order, [2, 3]);
});

test("what is in use already counts for its account, and gives way to those who wait", async () => {
  const { share } = shareWith({});
  const entered = share.enter("one", 1);
  const taken = share.take("one", 1);
  let isAdmitted = false;
  const waiting = share.enter("one", 1);
  void waiting.admitted.then(() => (isAdmitted = true));
  await share.enter("other", 1).admitted;
  assert.equal(isAdmitted, false);
  taken.leave();
  assert.equal(share.held, 3);
  await waiting.admitted;
  entered.leave();
  assert.equal(share.held, 2);
});

test("a request that has waited holds its share for as long as it needs", async () => {
  const { clock, share } = shareWith({});
  const first = share.enter("one", 2);
  const second = share.enter("one", 2);
  first.leave();
  await second.admitted;
  clock.advance(20_000);
  assert.equal(share.held, 2);
  second.leave();
  assert.equal(share.held, 0);
});

test("an account that holds nothing for a while does not forget who waits", async () => {
  const { share } = shareWith({});
  const idle = share.take("one", 0);
  share.enter("one", 1).leave();
  const held = share.enter("one", 2);
  const waiting = share.enter("one", 1);
  idle.resize(1);
  idle.leave();
  held.leave();
  assert.equal(share.held, 1);
  await waiting.admitted;
});

test("an account that holds nothing any more is not forgotten while it waits for others", async () => {
  const { share } = shareWith({});
  const own = share.enter("one", 1);
  const other = share.enter("other", 2);
  const waiting = share.enter("one", 2);
  share.enter("third", 1);
  own.leave();
  assert.equal(share.held, 3);
  other.leave();
  assert.equal(share.held, 3);
  await waiting.admitted;
});
