import assert from "node:assert/strict";
import { test } from "node:test";

import { FairTurns, weightOf } from "./fair-turns.ts";
import { nextTurn } from "./turn.ts";

/** Enters many times; counts what has begun. */
function flood(turns: FairTurns, owner: string, count: number, weight = 1) {
  const begun = { count: 0 };
  const begin = async (): Promise<void> => {
    const turn = turns.enter(owner, weight);
    if (turn !== null) await turn;
    begun.count += 1;
  };
  const all = Promise.all(Array.from({ length: count }, begin));
  return { begun, all };
}

test("an owner alone begins everything at once", () => {
  const turns = new FairTurns(() => 0);
  assert.equal(flood(turns, "a", 1_000).begun.count, 1_000);
  assert.equal(turns.isShared, false);
});

test("beside others an owner begins a little in each turn, and the others at once", async () => {
  const turns = new FairTurns(() => 0);
  void turns.enter("b");
  const { begun, all } = flood(turns, "a", 100);
  assert.equal(begun.count, 4);
  assert.equal(turns.isShared, true);
  assert.equal(turns.enter("b"), null);
  await nextTurn();
  assert.equal(begun.count, 8);
  assert.equal(turns.enter("b"), null);
  await all;
});

test("large work is paid for by the turns after it", async () => {
  const turns = new FairTurns(() => 0);
  void turns.enter("b");
  const { begun, all } = flood(turns, "a", 3, 20);
  const counts: number[] = [];
  for (let turn = 0; turn < 12; turn++) {
    counts.push(begun.count);
    await nextTurn();
  }
  assert.deepEqual(counts, [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3]);
  await all;
});

test("after a turn that took long more may begin, by owner", async () => {
  let nowMs = 0;
  const turns = new FairTurns(() => nowMs);
  void turns.enter("b");
  const { begun, all } = flood(turns, "a", 1_000);
  assert.equal(turns.enter("b"), null);
  nowMs += 100;
  await nextTurn();
  assert.equal(begun.count, 4 + 50);
  await all;
});

test("what a request claims to bring is paid for in a bounded number of turns", async () => {
  const turns = new FairTurns(() => 0);
  void turns.enter("b");
  assert.equal(turns.enter("a", weightOf(Number.MAX_SAFE_INTEGER)), null);
  const begun: string[] = [];
  void turns.enter("a")!.then(() => begun.push("a"));
  for (let turn = 0; turn < 1_000; turn++) await nextTurn();
  assert.deepEqual(begun, ["a"]);
});

test("work of one owner begins in the order in which it came", async () => {
  const turns = new FairTurns(() => 0);
  void turns.enter("b");
  const order: number[] = [];
  const enter = async (index: number): Promise<void> => {
    const turn = turns.enter("a");
    if (turn !== null) await turn;
    order.push(index);
  };
  await Promise.all(Array.from({ length: 50 }, (_, index) => enter(index)));
  assert.deepEqual(
    order,
    order.toSorted((left, right) => left - right),
  );
});
