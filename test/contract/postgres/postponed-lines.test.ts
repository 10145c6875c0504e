/** What a slow commit makes true is found, though a claim put its line to sleep meanwhile. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";

import { keyLine } from "../../../src/core/model/line/line.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import type { Scene } from "../scene.ts";
import { transactionWaits } from "./cluster.ts";
import type { CuttingProxy } from "./cutting-proxy.ts";
import { openSlowPair, type SlowPair } from "./slow-pair.ts";

const LINES = {
  "a host": { url: "https://between.test/" },
  "a key": { flowControl: { key: "between", periodMs: 1_000 } },
  "a queue": { queueName: "between" },
} as const;
/** Long enough for a publish that waits for no lock. */
const LOCKED_MS = 50;
/** When a line is visited again that another transaction had locked. */
const BUSY_MS = 100;

describe("a line that is postponed", { skip: postgresMissing() }, () => {
  let pair: SlowPair;
  let proxy: CuttingProxy;
  let slow: Scene;
  let quick: Scene;

  before(async () => {
    pair = await openSlowPair();
    ({ proxy, slow, quick } = pair);
  });
  after(() => pair.close());

  test("while a message is being committed to it, it is visited again", async () => {
    const url = "https://publish.test/";
    await quick.publish("early", { url });
    const commit = proxy.holdCommit();
    const publishing = slow.publish("late", { url });
    await commit.reached;
    assert.deepEqual(await quick.claimIds(), ["early"]);
    for (let look = 0; look < 20; look++) {
      quick.clock.advance(100);
      assert.deepEqual(await quick.claimIds(), []);
    }
    commit.letGo();
    await publishing;
    quick.clock.advance(100);
    assert.deepEqual(await quick.claimIds(), ["late"]);
  });

  test("while a settlement that frees its key is being committed", async () => {
    const keyed = { flowControl: { key: "key", periodMs: 1_000 } };
    await quick.limit(keyLine("key"), { parallelism: 1 });
    await quick.publish("first", keyed);
    const first = await quick.claimOne();
    // The line is due, so that the settlement leaves it alone.
    await quick.publishAll(["second", "third"], keyed);
    const commit = proxy.holdCommit();
    const settling = slow.deliver(first);
    await commit.reached;
    assert.deepEqual(await quick.claimIds(), []);
    commit.letGo();
    await settling;
    quick.clock.advance(100);
    assert.deepEqual(await quick.claimIds(), ["second"]);
  });

  for (const [name, wish] of Object.entries(LINES)) {
    test(`${name} finds who comes between any two statements of a claim`, async () => {
      for (let statement = 2; ; statement++) {
        const names = [`${name}-${statement}-before`, `${name}-${statement}-meanwhile`] as const;
        await quick.publish(names[0], wish);
        const held = proxy.holdStatement(statement);
        const claiming = slow.claim();
        const isReached = await Promise.race([
          held.reached.then(() => true),
          claiming.then(() => false),
        ]);
        const publishing = quick.publish(names[1], wish);
        // The claim may keep the line to itself by now, until it has committed.
        await Promise.race([publishing, setTimeout(LOCKED_MS)]);
        held.letGo();
        const claimed = await claiming;
        await publishing;
        for (const leased of claimed) await quick.deliver(leased);
        quick.clock.advance(BUSY_MS);
        const later = await quick.claim();
        for (const leased of later) await quick.deliver(leased);
        const found = [...claimed, ...later].map(({ lease }) => lease.messageId);
        assert.deepEqual(found, names, `held before statement ${statement}`);
        if (!isReached) return assert.ok(statement > 10, `${statement} statements`);
      }
    });
  }

  test("a writer during the claim's commit makes it due again", async () => {
    const url = "https://wake.test/";
    await quick.publish("before", { url });
    const commit = proxy.holdCommit();
    const claiming = slow.claimIds();
    await commit.reached;
    const publishing = quick.publish("meanwhile", { url });
    await transactionWaits(pair.url);
    commit.letGo();
    assert.deepEqual(await claiming, ["before"]);
    await publishing;
    assert.deepEqual(await quick.claimIds(), ["meanwhile"]);
  });
});
