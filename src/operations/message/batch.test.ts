import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Problem } from "../../core/problem.ts";
import { FairTurns } from "../../platform/fair-turns.ts";
import { nextTurn } from "../../platform/turn.ts";
import type { Context } from "../context.ts";
import { type BatchRequest, publishBatch } from "./batch.ts";

/** Items that are refused in their place, so that nothing of them is stored. */
function read(turns: Pick<FairTurns, "enter" | "drawTicket" | "isLong">, count: number) {
  const context = { turns, clock: new ManualClock() } as unknown as Context;
  const account = { accountId: "account", limits: {} };
  const items = Array.from({ length: count }, () => ({}));
  return publishBatch(context, { account, items } as unknown as BatchRequest);
}

test("a batch beside a flood of its own account is read in as many turns as without it", async () => {
  for (const flood of [0, 10_000]) {
    const turns = new FairTurns(() => 0);
    void turns.enter("neighbor");
    for (let index = 0; index < flood; index++) void turns.enter("account");
    let answers = 0;
    void read(turns, 40).then(({ length }) => (answers = length));
    for (let turn = 0; turn < 12; turn++) await nextTurn();
    assert.equal(answers, 40, `beside ${flood}`);
  }
});

test("batches together take a few milliseconds of a turn, also where every item is refused", async () => {
  let nowMs = 0;
  const taken = { items: 0 };
  function* slowItems(): Generator {
    for (let item = 0; item < 40; item++) {
      nowMs += 1;
      taken.items += 1;
      yield {};
    }
  }
  const turns = new FairTurns(() => nowMs);
  const context = { turns, clock: new ManualClock() } as unknown as Context;
  const account = { accountId: "account", limits: {} };
  const batches = Array.from({ length: 3 }, () => {
    const request = { account, items: slowItems() } as unknown as BatchRequest;
    return publishBatch(context, request);
  });
  let mostInATurn = taken.items;
  for (let before = taken.items; taken.items < 120; before = taken.items) {
    await nextTurn();
    mostInATurn = Math.max(mostInATurn, taken.items - before);
  }
  await Promise.all(batches);
  assert.ok(mostInATurn <= 8, `${mostInATurn} items in one turn`);
});

test("a batch of which an item waits too long is refused as a whole", async () => {
  for (const refusedAt of [1, 3]) {
    let items = 0;
    const enter = (): Promise<boolean> => Promise.resolve(++items < refusedAt);
    const overloaded = { kind: "overloaded", retryAfterSeconds: 1 };
    const turns = { enter, drawTicket: () => 1, isLong: false };
    await assert.rejects(read(turns, 5), overloaded);
    assert.equal(items, refusedAt);
  }
});

/** What a batch of one item is answered whose queue is refused. */
function answerTo(refusal: Problem) {
  const context = {
    turns: new FairTurns(),
    clock: new ManualClock(),
    dialect: "svc",
    storedBytesMax: 1_000,
    readDestination: () => ({ problem: null, host: "example.com" }),
    knownQueues: { admit: () => Promise.reject(refusal) },
  } as unknown as Context;
  const account = { accountId: "account", limits: { messageBytesMax: 1_000, retriesDefault: 3 } };
  const items = [{ destination: "https://example.com/", queue: "mails" }];
  return publishBatch(context, { account, items } as unknown as BatchRequest);
}

test("a refusal that passes by itself is that of the batch, and any other that of its item", async () => {
  const busy = new Problem("overloaded", "the store is busy", 1);
  await assert.rejects(answerTo(busy), busy);
  const full = new Problem("quota-exceeded", "no more queues");
  assert.deepEqual(await answerTo(full), [{ problem: full }]);
});
