import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../../test/support/manual-clock.ts";
import { FairTurns } from "../../platform/fair-turns.ts";
import { nextTurn } from "../../platform/turn.ts";
import type { Context } from "../context.ts";
import { type BatchRequest, publishBatch } from "./batch.ts";

/** Items that are refused in their place, so that nothing of them is stored. */
function read(turns: Pick<FairTurns, "enter" | "drawTicket">, count: number) {
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

test("a batch of which an item waits too long is refused as a whole", async () => {
  for (const refusedAt of [1, 3]) {
    let items = 0;
    const enter = (): Promise<boolean> => Promise.resolve(++items < refusedAt);
    const overloaded = { kind: "overloaded", retryAfterSeconds: 1 };
    await assert.rejects(read({ enter, drawTicket: () => 1 }, 5), overloaded);
    assert.equal(items, refusedAt);
  }
});
