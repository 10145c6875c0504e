import assert from "node:assert/strict";
import { test } from "node:test";

import { ActQueue, type Queued, type Taken } from "./act-queue.ts";

const SMALL = { rows: 1, bytes: 100, isCompletion: false };

function queueOf(...items: Queued[]): ActQueue<Queued> {
  const queue = new ActQueue<Queued>();
  for (const item of items) queue.add(item);
  return queue;
}

function many(accountId: string, count: number, weight: Partial<Queued> = SMALL): Queued[] {
  return Array.from({ length: count }, () => ({ ...SMALL, ...weight, accountId }));
}

/** How many items each account has in a group, in order. */
function shares({ items }: Taken<Queued>): [string, number][] {
  const counts = new Map<string, number>();
  for (const { accountId } of items) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
  return [...counts];
}

test("an account alone fills whole groups", () => {
  const queue = queueOf(...many("a", 600), ...many("", 3));
  const sizes = [queue.take(true), queue.take(true), queue.take(true)].map(
    ({ items }) => items.length,
  );
  assert.deepEqual(sizes, [256, 256, 91]);
});

test("one act of another account is in the next group, before a thousand of a busy one", () => {
  const queue = queueOf(...many("a", 1_000), ...many("b", 1));
  assert.deepEqual(shares(queue.take(true)), [
    ["a", 32],
    ["b", 1],
  ]);
  // The busy account keeps its small share for as long as the other was active lately.
  assert.deepEqual(shares(queue.take(true)), [["a", 32]]);
});

test("an account is alone again some groups after the last act of another one", () => {
  const queue = queueOf(...many("b", 1), ...many("a", 1));
  queue.take(true);
  for (let group = 1; group < 256; group++) {
    for (const item of many("a", 40)) queue.add(item);
    assert.equal(queue.take(true).items.length, 32);
    queue.remove(() => true);
  }
  for (const item of many("a", 40)) queue.add(item);
  assert.equal(queue.take(true).items.length, 40);
});

test("accounts take turns when there are more than a group holds", () => {
  const accounts = Array.from({ length: 300 }, (_, index) => `account-${index}`);
  const queue = queueOf(...accounts.flatMap((accountId) => many(accountId, 2)));
  const first = queue.take(true).items.map(({ accountId }) => accountId);
  assert.deepEqual(first, accounts.slice(0, 256));
  const second = new Set(queue.take(true).items.map(({ accountId }) => accountId));
  assert.equal(second.size, 256);
  assert.deepEqual(
    accounts.slice(256).filter((accountId) => !second.has(accountId)),
    [],
  );
});

test("a large batch or body is written by itself, after the small acts that wait", () => {
  for (const weight of [
    { rows: 100, bytes: 100 },
    { rows: 1, bytes: 4_000_000 },
  ]) {
    const queue = queueOf(...many("a", 3, weight), ...many("b", 2));
    assert.deepEqual(shares(queue.take(true)), [["b", 2]]);
    assert.deepEqual(shares(queue.take(true)), [["a", 1]]);
    queue.add(many("b", 1)[0]!);
    assert.deepEqual(shares(queue.take(true)), [["b", 1]]);
    assert.equal(queue.hasGroup(false), false);
    assert.deepEqual(queue.take(false).items, []);
    assert.equal(queue.size, 2);
  }
});

test("a large act waits for a few groups of others, not for ever", () => {
  const queue = queueOf(...many("a", 1, { rows: 100, bytes: 100 }), ...many("b", 1_000));
  const groups = Array.from({ length: 5 }, () => shares(queue.take(true)));
  assert.deepEqual(groups[4], [["a", 1]]);
  assert.ok(groups.slice(0, 4).every(([share]) => share?.[0] === "b"));
});

test("completions of an account go beside its own flood, shared or not", () => {
  for (const others of [0, 1]) {
    const flood = [...many("a", 1_000), ...many("b", others)];
    const queue = queueOf(...flood, ...many("a", 10, { isCompletion: true }));
    const group = queue.take(true);
    const completions = group.items.filter(({ isCompletion }) => isCompletion);
    assert.equal(completions.length, 10);
    assert.ok(group.items.length > 10 + others);
    assert.deepEqual(group.accountIds.toSorted(), ["a", "a", "b"].slice(0, 2 + others));
  }
});

test("completions do not wait behind a batch of their account", () => {
  const batches = many("a", 3, { rows: 100 });
  const queue = queueOf(...batches, ...many("b", 1), ...many("a", 1, { isCompletion: true }));
  assert.deepEqual(shares(queue.take(true)), [
    ["b", 1],
    ["a", 1],
  ]);
});

test("a group tells what it weighs", () => {
  const queue = queueOf(...many("a", 2), ...many("", 1, { rows: 33 }));
  const { bytes, isHeavy, accountIds } = queue.take(true);
  assert.deepEqual(
    { bytes, isHeavy, accountIds },
    { bytes: 300, isHeavy: true, accountIds: ["a", ""] },
  );
  assert.equal(queue.rows, 0);
});

test("bytes of an account in one group are bounded", () => {
  const queue = queueOf(...many("a", 20, { rows: 1, bytes: 100_000 }), ...many("b", 1));
  assert.deepEqual(shares(queue.take(true)), [
    ["a", 2],
    ["b", 1],
  ]);
});

test("accounts whose acts are being written can be left out", () => {
  const queue = queueOf(...many("a", 5), ...many("b", 1));
  assert.equal(queue.hasOther(new Set(["a", "b"])), false);
  assert.equal(queue.hasOther(new Set(["a"])), true);
  assert.deepEqual(shares(queue.take(true, new Set(["a"]))), [["b", 1]]);
});

test("only the account that fills the queue is refused", () => {
  const queue = queueOf(...many("a", 5_000));
  assert.equal(queue.isFullFor("a", 100), true);
  assert.equal(queue.isFullFor("b", 100), false);
  for (const item of many("b", 2_500)) queue.add(item);
  assert.equal(queue.isFullFor("b", 100), true);
  assert.equal(queue.isFullFor("c", 100), false);
  queue.remove(({ accountId }) => accountId === "a");
  assert.equal(queue.isFullFor("a", 100), false);
  assert.equal(queue.rows, 2_500);
});

test("what is written in one group is written in the order in which it came", () => {
  const done = { ...SMALL, accountId: "a", isCompletion: true };
  const asked = { ...SMALL, accountId: "a" };
  const ofOther = { ...SMALL, accountId: "b" };
  const came: Queued[] = [{ ...asked }, { ...done }, { ...ofOther }, { ...asked }, { ...done }];
  assert.deepEqual(queueOf(...came).take(true).items, came);
});
