/** What a slow commit makes true is found, though a claim put its line to sleep meanwhile. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { keyLine } from "../../../src/core/model/line.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import type { Scene } from "../scene.ts";
import { someoneWaits } from "./cluster.ts";
import type { CuttingProxy } from "./cutting-proxy.ts";
import { openSlowPair, type SlowPair } from "./slow-pair.ts";

describe("a line that falls asleep", { skip: postgresMissing() }, () => {
  let pair: SlowPair;
  let proxy: CuttingProxy;
  let slow: Scene;
  let quick: Scene;

  before(async () => {
    pair = await openSlowPair();
    ({ proxy, slow, quick } = pair);
  });
  after(() => pair.close());

  test("while a message is being committed to it, it is looked at again", async () => {
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

  test("a writer that comes while the claim is being committed wakes it again", async () => {
    const url = "https://wake.test/";
    await quick.publish("before", { url });
    const commit = proxy.holdCommit();
    const claiming = slow.claimIds();
    await commit.reached;
    const publishing = quick.publish("meanwhile", { url });
    await someoneWaits(pair.url);
    commit.letGo();
    assert.deepEqual(await claiming, ["before"]);
    await publishing;
    assert.deepEqual(await quick.claimIds(), ["meanwhile"]);
  });
});
