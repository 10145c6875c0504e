/** Messages that are stored under way because their queue and their key have room for them. */
import assert from "node:assert/strict";
import {
  keyLine,
  type LineLimits,
  QUEUE_DEFAULT,
  queueLine,
  UNLIMITED,
  type UsedLine,
} from "../../src/core/model/line/line.ts";
import type { LeasedMessage } from "../../src/store/store.ts";
import { aCallback, aPublish } from "../support/messages.ts";
import { itemWithSlot, leaseAtPublish, leasedOf } from "./immediate-lease.ts";
import { contract, type Scene } from "./scene.ts";

const KEY = keyLine("key");
const QUEUE = queueLine("queue");
const keyed = { flowControl: { key: "key", periodMs: 1000 } };
const queued = { queueName: "queue" };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

contract("a message that is leased when it is published", (promise) => {
  promise("it is under way once it is stored, and no claim takes it", async (scene) => {
    for (const wish of [keyed, queued, { ...keyed, ...queued }]) {
      const leased = await leaseAtPublish(
        scene,
        `m${Object.keys(wish).length}${String(scene.now)}`,
        wish,
      );
      assert.ok(leased);
      assert.deepEqual(await scene.states(leased.lease.messageId), ["CREATED", "ACTIVE"]);
      const state = await scene.state(leased.lease.messageId);
      assert.deepEqual([state?.phase, state?.nodeId, state?.lineAfter], ["active", "node", null]);
      assert.deepEqual(await scene.claimIds(), []);
      assert.equal(await scene.deliver(leased), "settled");
      scene.clock.advance(1);
    }
    assert.deepEqual(await scene.store.reader.upkeep.counts(), { waiting: 0, active: 0 });
  });

  promise("a key that is full lets the next one wait, until there is room", async (scene) => {
    await limit(scene, KEY, { parallelism: 2 });
    const [a, b] = [
      await leaseAtPublish(scene, "a", keyed),
      await leaseAtPublish(scene, "b", keyed),
    ];
    assert.ok(a && b);
    assert.equal(await leaseAtPublish(scene, "c", keyed), null);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(a);
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise("a paused line leases no message", async (scene) => {
    await scene.limit(KEY, { paused: true });
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    assert.equal(await leaseAtPublish(scene, "a", keyed), null);
    assert.equal(await leaseAtPublish(scene, "b", queued), null);
    assert.equal(await leaseAtPublish(scene, "c", { ...keyed, queueName: "open" }), null);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("its start counts for the rate of its key", async (scene) => {
    await limit(scene, KEY, { rate: 2, periodMs: DAY });
    const [a] = [await leaseAtPublish(scene, "a", keyed), await leaseAtPublish(scene, "b", keyed)];
    assert.equal(await leaseAtPublish(scene, "c", keyed), null);
    await scene.deliver(a!);
    assert.deepEqual(await scene.claimIds(), []);
    const key = { accountId: "account", line: KEY };
    assert.equal((await scene.store.reader.lines.report(key, scene.now))?.status.windowStarts, 2);
    scene.clock.advance(DAY);
    assert.deepEqual(await scene.claimIds(), ["c"]);
    assert.ok(await leaseAtPublish(scene, "d", keyed));
  });

  promise("it does not overtake those who wait in its line", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 5 });
    await scene.publish("a", queued);
    assert.equal(await leaseAtPublish(scene, "b", queued), null);
    await scene.publish("c", keyed);
    assert.equal(await leaseAtPublish(scene, "d", keyed), null);
    assert.deepEqual((await scene.claimIds()).toSorted(), ["a", "b", "c", "d"]);
  });

  promise("it overtakes those who are not ready", async (scene) => {
    await scene.publish("a", { ...queued, delayMs: 1000 });
    await scene.publish("b", { ...keyed, delayMs: 1000 });
    await scene.claim();
    assert.ok(await leaseAtPublish(scene, "c", queued));
    assert.ok(await leaseAtPublish(scene, "d", keyed));
    assert.equal(await leaseAtPublish(scene, "e", { ...queued, delayMs: 500 }), null);
  });

  promise("it holds its queue's slot until it and its callbacks have ended", async (scene) => {
    const a = await leaseAtPublish(scene, "a", { ...queued, callback: aCallback() });
    assert.equal(await leaseAtPublish(scene, "b", queued), null);
    await scene.deliver(a!);
    assert.equal(await leaseAtPublish(scene, "c", queued), null);
    const callback = await scene.claimOne();
    assert.equal(callback.lease.messageId, "a-callback-1");
    await scene.deliver(callback);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("its retry keeps its position, even in a queue that was paused", async (scene) => {
    const a = await leaseAtPublish(scene, "a", queued);
    await leaseAtPublish(scene, "b", queued);
    await scene.retry(a!, 1000);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    scene.clock.advance(1000);
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.state("a"))?.line, QUEUE);
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.equal(await leaseAtPublish(scene, "c", queued), null);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise("it is among those that are in its queue", async (scene) => {
    const key = { accountId: "account", line: QUEUE };
    await leaseAtPublish(scene, "a", queued);
    const upTo = await scene.store.reader.lines.lastPosition(key);
    assert.deepEqual(await scene.store.reader.lines.queued(key, upTo, 10), [
      { accountId: "account", messageId: "a" },
    ]);
  });

  promise("in a queue and under a key it needs room in both", async (scene) => {
    await limit(scene, KEY, { parallelism: 1 });
    const a = await leaseAtPublish(scene, "a", { ...queued, ...keyed });
    assert.equal(await leaseAtPublish(scene, "b", { queueName: "other", ...keyed }), null);
    assert.equal(await leaseAtPublish(scene, "c", queued), null);
    await scene.deliver(a!);
    assert.deepEqual(await scene.claimIds(), ["c", "b"]);
  });

  promise("one that came before the window of its key began counts in it", async (scene) => {
    await limit(scene, KEY, { rate: 1, periodMs: 1_000 });
    const early = { ...scene.item("early", keyed), nodeId: "node" };
    const cameAt = scene.now;
    scene.clock.advance(5);
    assert.ok(await leaseAtPublish(scene, "a", keyed));
    const [answer] = await scene.act({ rule: "publish", at: cameAt, items: [early] });
    assert.equal(answer?.waits, true);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1_000);
    assert.deepEqual(await scene.claimIds(), ["early"]);
  });

  promise(
    "of several in one act the first may go, and the others keep their order",
    async (scene) => {
      const items = ["c", "a", "b"].map((id) => itemWithSlot(scene, id, queued));
      const answers = await scene.act(aPublish(scene.now, ...items));
      assert.deepEqual(
        answers.map(({ waits }) => waits === true),
        [false, true, true],
      );
      const order: string[] = [];
      let leased: LeasedMessage = leasedOf(items[0]!);
      for (let turn = 0; turn < 2; turn++) {
        await scene.deliver(leased);
        leased = await scene.claimOne();
        order.push(leased.lease.messageId);
      }
      assert.deepEqual(order, ["a", "b"]);
    },
  );

  promise("of several at once so many may go as there is room", async (scene) => {
    await limit(scene, KEY, { parallelism: 2 });
    const ids = ["a", "b", "c", "d"];
    const leased = await Promise.all(ids.map((id) => leaseAtPublish(scene, id, keyed)));
    assert.ok(leased.filter((one) => one !== null).length <= 2);
    assert.equal((await scene.claimIds()).length + leased.filter(Boolean).length, 2);
  });

  promise("what it says itself of its key holds for it", async (scene) => {
    assert.ok(await leaseAtPublish(scene, "a", keyed, says(2)));
    assert.equal(await leaseAtPublish(scene, "b", keyed, says(1)), null);
    assert.deepEqual(await scene.claimIds(), []);
    const uses = [{ accountId: "account", line: QUEUE, limits: QUEUE_DEFAULT }];
    assert.ok(await leaseAtPublish(scene, "c", queued, uses));
    assert.equal(await scene.store.reader.lines.countQueues("account"), 1);
  });

  promise("an account that is halted or counted is left to claims", async (scene) => {
    await scene.addAccount("account", 1);
    assert.equal(await leaseAtPublish(scene, "a", keyed), null);
    assert.equal(await leaseAtPublish(scene, "b", queued), null);
    assert.equal((await scene.claimIds()).length, 1);
    await scene.addAccount("other");
    await scene.act({
      rule: "change-account",
      at: scene.now,
      accountId: "other",
      fields: { isPaused: true },
    });
    assert.equal(await leaseAtPublish(scene, "c", { ...keyed, accountId: "other" }), null);
  });

  promise("one that is lost, given back or canceled frees its line", async (scene) => {
    await limit(scene, KEY, { parallelism: 1 });
    const a = await leaseAtPublish(scene, "a", keyed);
    await leaseAtPublish(scene, "b", keyed);
    await scene.handBack(a!);
    await scene.deliver(await scene.claimOne());
    await scene.deliver(await scene.claimOne());
    assert.ok(await leaseAtPublish(scene, "c", keyed));
    assert.equal((await scene.takeOver()).waiting, 1);
    const c = await scene.claimOne();
    await scene.cancel("c");
    await scene.retry(c, 0);
    assert.ok(await leaseAtPublish(scene, "d", keyed));
  });

  promise("a key that is used again and again is not forgotten", async (scene) => {
    for (let hours = 0; hours < 30; hours++) {
      await scene.deliver((await leaseAtPublish(scene, `m${hours}`, keyed, says(1)))!);
      await scene.claimed();
      scene.clock.advance(2000);
      await scene.claimed();
      scene.clock.advance(HOUR - 2000);
      const keysBefore = scene.now - DAY;
      await scene.store.sweep({ now: scene.now, countsBefore: 0, keysBefore, pageMax: 10 });
    }
    assert.notEqual(
      await scene.store.reader.lines.report({ accountId: "account", line: KEY }, scene.now),
      null,
    );
  });
});

function says(parallelism: number): UsedLine[] {
  return [{ accountId: "account", line: KEY, limits: { ...UNLIMITED, parallelism } }];
}

/** Sets a line, which a claim then has looked at. */
async function limit(scene: Scene, line: string, limits: Partial<LineLimits>): Promise<void> {
  await scene.limit(line, limits);
  await scene.claimed();
}
