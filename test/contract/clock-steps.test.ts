/** A clock that is set while messages wait. */
import assert from "node:assert/strict";

import { queueLine, UNLIMITED } from "../../src/core/model/line/line.ts";
import { aLimit } from "../support/messages.ts";
import { contract, idsOf, type Scene } from "./scene.ts";

const QUEUE = queueLine("queue");
const KEY = { accountId: "account", line: QUEUE };
const queued = { queueName: "queue" };
const HOUR_MS = 3_600_000;
const STEPS_BACK = [-1_000, -60_000, -HOUR_MS];
/** What may hold a message back beside its queue. */
const PLACES = [{}, { flowControl: { key: "key", periodMs: 1_000 } }];

contract("a queue whose clock is set back", (promise) => {
  promise("keeps its order", async (scene) => {
    for (const [index, wish] of PLACES.entries()) {
      for (const ms of STEPS_BACK) {
        const [a, b, c] = [`a${index}${ms}`, `b${index}${ms}`, `c${index}${ms}`];
        await scene.publish(a, { ...queued, ...wish });
        await scene.publish(b, { ...queued, ...wish });
        scene.clock.step(ms);
        await scene.publish(c, { ...queued, ...wish });
        assert.deepEqual(await deliverAll(scene), [a, b, c]);
      }
    }
  });

  promise("keeps it on a node that knows nothing of the step", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    scene.clock.step(-60_000);
    const unaware = { now: scene.now, aheadMs: 0 };
    assert.deepEqual(await scene.claimIds(unaware), [], "the queue is not due yet");
    await scene.act(aLimit(scene.now - HOUR_MS, KEY, { ...UNLIMITED, parallelism: 1 }));
    assert.deepEqual(await scene.claimIds(unaware), ["a"]);
    assert.deepEqual(await scene.claimIds(unaware), []);
  });

  promise("moves its first message on, though others wait for its host", async (scene) => {
    await scene.publish("host");
    await scene.publishAll(["a", "b"], queued);
    scene.clock.step(-60_000);
    const unaware = { now: scene.now, aheadMs: 0 };
    await scene.act(aLimit(scene.now - HOUR_MS, KEY, { ...UNLIMITED, parallelism: 1 }));
    assert.deepEqual(await scene.claimIds(unaware), ["a"]);
  });

  promise("lets no new message pass those that wait", async (scene) => {
    await scene.publish("a", queued);
    scene.clock.step(-60_000);
    const item = { ...scene.item("b", queued), nodeId: "node" };
    const [answer] = await scene.act({ rule: "publish", at: scene.now, items: [item] });
    assert.equal(answer?.waits, true);
    assert.deepEqual(await deliverAll(scene), ["a", "b"]);
  });

  promise("keeps the order of those that went back into it when it was paused", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    await scene.retry(await scene.claimOne(), 10);
    scene.clock.advance(10);
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.step(-60_000);
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.deepEqual(await deliverAll(scene), ["a", "b"]);
  });

  promise("lets one that was delayed wait for its time", async (scene) => {
    await scene.publish("late", { ...queued, delayMs: 500 });
    scene.clock.step(-60_000);
    await scene.publish("soon", queued);
    assert.deepEqual(await deliverAll(scene), ["soon"]);
    scene.clock.advance(499);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    assert.deepEqual(await scene.claimIds(), ["late"]);
  });
});

contract("what waits for its time while the clock is set", (promise) => {
  promise("waits as long as it was asked to", async (scene) => {
    for (const ms of STEPS_BACK) {
      await scene.publish(`before${ms}`, { delayMs: 10_000 });
      await scene.publish(`retried${ms}`);
      await scene.retry(await scene.claimOne(), 10_000);
      scene.clock.advance(4_000);
      scene.clock.step(ms);
      await scene.publish(`after${ms}`, { delayMs: 10_000 });
      scene.clock.advance(5_999);
      assert.deepEqual(await scene.claimIds(), []);
      scene.clock.advance(1);
      const ready = await scene.claim();
      assert.deepEqual(idsOf(ready).toSorted(), [`before${ms}`, `retried${ms}`]);
      for (const each of ready) await scene.deliver(each);
      scene.clock.advance(3_999);
      assert.deepEqual(await scene.claimIds(), []);
      scene.clock.advance(1);
      await scene.deliver(await scene.claimOne());
    }
  });

  promise("is not left behind by a clock that jumped ahead and came back", async (scene) => {
    const yearMs = 365 * 24 * HOUR_MS;
    scene.clock.step(yearMs);
    await scene.publish("delayed", { delayMs: 10_000 });
    await scene.publish("retried");
    await scene.retry(await scene.claimOne(), 10_000);
    scene.clock.step(-yearMs);
    await scene.publish("later", { delayMs: 11_000 });
    await scene.publish("now");
    assert.deepEqual(await scene.claimIds(), ["now"]);
    scene.clock.advance(9_999);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    assert.deepEqual((await scene.claimIds()).toSorted(), ["delayed", "retried"]);
    scene.clock.advance(1_000);
    assert.deepEqual(await scene.claimIds(), ["later"]);
  });

  promise("is shown by the clock", async (scene) => {
    scene.clock.step(-60_000);
    await scene.publish("a");
    await scene.retry(await scene.claimOne(), 5_000);
    const entries = await scene.entries("a");
    assert.deepEqual(
      entries.map(({ state, at, nextAt }) => [state, at - scene.now, nextAt && nextAt - scene.now]),
      [
        ["CREATED", 0, undefined],
        ["ACTIVE", 0, undefined],
        ["ERROR", 0, undefined],
        ["RETRY", 0, 5_000],
      ],
    );
  });

  promise("was on its way to the store, and is ready no later for that", async (scene) => {
    const madeAt = scene.now;
    const item = scene.item("a");
    scene.clock.step(-HOUR_MS);
    assert.equal(scene.store.clock.time().aheadMs, HOUR_MS);
    await scene.act({ rule: "publish", at: madeAt, items: [item] });
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise("is known to be due by those that join later", async (scene) => {
    await scene.store.beat("first");
    scene.clock.step(-HOUR_MS);
    await scene.store.beat("first");
    const { latestAt } = await scene.store.beat("second");
    assert.equal(latestAt, scene.now + HOUR_MS);
  });
});

contract("a deduplication key", (promise) => {
  promise("stands for its time, wherever the clock is set meanwhile", async (scene) => {
    assert.equal(await take(scene, "a"), true);
    scene.clock.advance(300_000);
    scene.clock.step(-HOUR_MS);
    assert.equal(await take(scene, "b"), false);
    scene.clock.advance(299_999);
    assert.equal(await take(scene, "c"), false);
    scene.clock.advance(1);
    assert.equal(await take(scene, "d"), true);
  });

  promise("that a clock took which was far ahead is free", async (scene) => {
    const item = scene.item("a", {}, { key: "id:a", expiresAt: scene.now + 365 * 24 * HOUR_MS });
    await scene.act({ rule: "publish", at: scene.now, items: [item] });
    assert.equal(await take(scene, "b"), true);
    assert.equal(await take(scene, "c"), false);
  });
});

/** Publishes under one deduplication key. True when it was free. */
async function take(scene: Scene, messageId: string): Promise<boolean> {
  const deduplication = { key: "id:a", expiresAt: scene.now + 600_000 };
  const item = scene.item(messageId, {}, deduplication);
  const [answer] = await scene.act({ rule: "publish", at: scene.now, items: [item] });
  return answer?.deduplicated === false;
}

/** Delivers one after the other what can be claimed, and answers in which order. */
async function deliverAll(scene: Scene): Promise<string[]> {
  const order: string[] = [];
  for (;;) {
    const leased = await scene.claim({ slots: 1 });
    if (leased.length === 0) return order;
    order.push(...idsOf(leased));
    for (const each of leased) await scene.deliver(each);
  }
}
