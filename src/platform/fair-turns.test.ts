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

test("work in pieces goes before other work of its owner, in the order of its tickets", async () => {
  const turns = new FairTurns(() => 0);
  void turns.enter("b");
  const { begun, all } = flood(turns, "a", 100);
  const order: string[] = [];
  const [first, second] = [turns.drawTicket(), turns.drawTicket()];
  const inPieces = async (name: string, ticket: number): Promise<void> => {
    for (let piece = 0; piece < 8; piece++) {
      const turn = turns.enter("a", 1, true, ticket);
      if (turn !== null) assert.equal(await turn, true);
      order.push(name);
    }
  };
  const both = Promise.all([inPieces("second", second), inPieces("first", first)]);
  for (const [done, other] of [
    [4, 4],
    [8, 4],
    [12, 4],
    [16, 4],
    [16, 8],
  ]) {
    await nextTurn();
    assert.deepEqual([order.length, begun.count], [done, other]);
  }
  await both;
  assert.deepEqual(order, [...Array<string>(8).fill("first"), ...Array<string>(8).fill("second")]);
  await all;
});

test("a caller who is answered gives up after five seconds, and the turns go to the others", async () => {
  let nowMs = 0;
  const turns = new FairTurns(() => nowMs);
  void turns.enter("b");
  void turns.enter("a", 15_000);
  const ended: string[] = [];
  const wait = (name: string, weight: number, isAnswered: boolean): void =>
    void turns.enter("a", weight, isAnswered)!.then((isTurn) => ended.push(`${name} ${isTurn}`));
  const pass = async (ms: number): Promise<void> => {
    // Turns of 100 ms, in each of which one of two owners may begin 50.
    for (const until = nowMs + ms; nowMs < until;) {
      void turns.enter("b");
      nowMs += 100;
      await nextTurn();
    }
  };
  wait("delivery", 1, false);
  wait("request", 1_000_000, true);
  await pass(1_000);
  wait("later request", 1, true);
  await pass(3_900);
  assert.deepEqual(ended, []);
  await pass(200);
  assert.deepEqual(ended, ["request false"]);
  await pass(1_000);
  assert.deepEqual(ended, ["request false", "later request false"]);
  await pass(30_000);
  assert.deepEqual(ended.slice(2), ["delivery true"]);
  void turns.enter("a", 1_000);
  wait("request in time", 1, true);
  await pass(4_000);
  assert.equal(ended.at(-1), "request in time true");
});

test("a turn is long once the pieces in it took five milliseconds, and the next one is not", async () => {
  let nowMs = 100;
  const turns = new FairTurns(() => nowMs);
  assert.equal(turns.isLong, false);
  nowMs += 4;
  assert.equal(turns.isLong, false);
  nowMs += 1;
  assert.equal(turns.isLong, true);
  await nextTurn();
  assert.equal(turns.isLong, false);
});
