/** A queue's slot is held by a message and by what is made of it. */
import assert from "node:assert/strict";

import { queueLine } from "../../src/core/model/line/line.ts";
import { aCallback, aSettlement } from "../support/messages.ts";
import { contract } from "./scene.ts";

const QUEUE = queueLine("queue");
const queued = { queueName: "queue" };

contract("a queue's slot", (promise) => {
  promise("the next one waits for the callbacks of the one before", async (scene) => {
    await scene.publish("a", { ...queued, callback: aCallback() });
    await scene.publish("b", queued);
    await scene.deliver(await scene.claimOne());
    const callback = await scene.claimOne();
    assert.equal(callback.lease.messageId, "a-callback-1");
    await scene.retry(callback, 1000);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1000);
    const again = await scene.claimOne();
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(again);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("callback and failure callback both hold the slot, and dying frees it", async (scene) => {
    const reports = { callback: aCallback(), failureCallback: aCallback() };
    await scene.publish("a", { ...queued, ...reports });
    await scene.publish("b", queued);
    await scene.kill(await scene.claimOne());
    const [callback, failure] = await scene.claim();
    assert.ok(callback && failure);
    await scene.kill(callback);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.cancel(failure.lease.messageId);
    await scene.retry(failure, 0);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("a callback of an attempt before the last holds the slot as well", async (scene) => {
    await scene.publish("a", { ...queued, callback: aCallback({ delayMs: 500 }) });
    await scene.publish("b", queued);
    await scene.retry(await scene.claimOne(), 10);
    scene.clock.advance(10);
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(490);
    const first = await scene.claimOne();
    await scene.deliver(first);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(10);
    await scene.deliver(await scene.claimOne());
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("the reports of one that has ended take one slot together", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 2 });
    const reports = { callback: aCallback(), failureCallback: aCallback() };
    await scene.publish("a", { ...queued, ...reports });
    await scene.kill(await scene.claimOne());
    await scene.publishAll(["b", "c"], queued);
    const leased = [...(await scene.claimIds()), ...(await scene.claimIds())];
    assert.equal(leased.length, 3);
    assert.deepEqual([leased.includes("b"), leased.includes("c")], [true, false]);
  });

  promise("a message and its reports take one slot together", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 2 });
    await scene.publish("a", { ...queued, callback: aCallback() });
    await scene.publishAll(["b", "c", "d"], queued);
    const [a, b] = await scene.claim();
    await scene.retry(a!, 1_000);
    assert.deepEqual(await scene.claimIds(), ["a-callback-1"]);
    await scene.deliver(b!);
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise("it is given away at once, though the clock was set back meanwhile", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    const a = await scene.claimOne();
    assert.deepEqual(await scene.claimed(), {
      leased: [],
      nextAt: null,
      linesPostponed: 0,
      accountsDue: [],
    });
    await scene.act(aSettlement(a, { at: scene.now + 60_000, verdict: { kind: "delivered" } }));
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("who went back into a paused queue need not wait for his own reports", async (scene) => {
    await scene.publish("a", { ...queued, callback: aCallback({ delayMs: 5_000 }) });
    await scene.publish("b", queued);
    await scene.retry(await scene.claimOne(), 10);
    await scene.limit(QUEUE, { paused: true });
    scene.clock.advance(10);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });
});
