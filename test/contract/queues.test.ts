import assert from "node:assert/strict";

import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import type { LeasedMessage } from "../../src/store/store.ts";
import { aCallback } from "../support/messages.ts";
import { contract, idsOf } from "./scene.ts";

const QUEUE = queueLine("queue");
const queued = { queueName: "queue" };

contract("a queue", (promise) => {
  promise("it delivers one message at a time, in the order of publishing", async (scene) => {
    for (const id of ["c", "a", "b"]) await scene.publish(id, queued);
    const order: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const leased = await scene.claimOne();
      assert.deepEqual(await scene.claimIds(), []);
      order.push(leased.lease.messageId);
      await scene.deliver(leased);
    }
    assert.deepEqual(order, ["c", "a", "b"]);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("messages of one act stand in their order", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 1 });
    await scene.publishAll(["z", "y", "x"], queued);
    const z = await scene.claimOne();
    await scene.deliver(z);
    const y = await scene.claimOne();
    assert.deepEqual([z.lease.messageId, y.lease.messageId], ["z", "y"]);
  });

  promise("it delivers as many messages at a time as its parallelism", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 2 });
    await scene.publishAll(["a", "b", "c", "d"], queued);
    const first = await scene.claim();
    assert.deepEqual(idsOf(first), ["a", "b"]);
    await scene.deliver(first[1]!);
    assert.deepEqual(await scene.claimIds(), ["c"]);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("a message that waits for its retry keeps its position", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    await scene.retry(await scene.claimOne(), 1000);
    scene.clock.advance(999);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    const again = await scene.claimOne();
    assert.equal(again.lease.messageId, "a");
    await scene.kill(again);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("a lease that is handed back or lost keeps its position", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    await scene.handBack(await scene.claimOne());
    assert.deepEqual(await scene.claimIds(), ["a"]);
    await scene.takeOver();
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise("cancelling a message that waits behind frees nothing", async (scene) => {
    await scene.publishAll(["a", "b", "c"], queued);
    const a = await scene.claimOne();
    await scene.cancel("b");
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(a);
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise("cancelling the one that waits for its retry frees the slot", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    await scene.retry(await scene.claimOne(), 10_000);
    await scene.cancel("a");
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("a message canceled while under way holds the slot until it ends", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    const a = await scene.claimOne();
    await scene.cancel("a");
    assert.deepEqual(await scene.claimIds(), []);
    await scene.takeOver();
    assert.equal(await scene.phase("a"), "CANCELED");
    assert.deepEqual(await scene.claimIds(), ["b"]);
    assert.equal(await scene.deliver(a), "stale");
  });

  promise("an admitted message goes on to its key and waits there", async (scene) => {
    const flowControl = { key: "key", periodMs: 1000 };
    await scene.limit(keyLine("key"), { parallelism: 1 });
    await scene.publish("busy", { flowControl });
    const busy = await scene.claimOne();
    await scene.publishAll(["a", "b"], { ...queued, flowControl });
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.state("a"))?.line, keyLine("key"));
    assert.equal((await scene.state("b"))?.line, QUEUE);
    await scene.deliver(busy);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise(
    "a paused queue accepts and waits; resumed, it goes on with the oldest",
    async (scene) => {
      await scene.limit(QUEUE, { parallelism: 1, paused: true });
      await scene.publishAll(["a", "b"], queued);
      assert.deepEqual(await scene.claimIds(), []);
      await scene.limit(QUEUE, { parallelism: 1 });
      assert.deepEqual(await scene.claimIds(), ["a"]);
    },
  );

  promise("a paused queue does not even start a retry, and its position is kept", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    await scene.retry(await scene.claimOne(), 1000);
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    scene.clock.advance(1000);
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.state("a"))?.line, QUEUE);
    scene.clock.advance(5000);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.limit(QUEUE, { parallelism: 1 });
    const a = await scene.claimOne();
    assert.equal(a.lease.messageId, "a");
    assert.equal(a.attempts, 1);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(a);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("retries of a paused queue do not delay other messages", async (scene) => {
    const ids = Array.from({ length: 120 }, (_, index) => `q${String(index).padStart(3, "0")}`);
    await scene.limit(QUEUE, { parallelism: 120 });
    await scene.publishAll(ids, queued);
    const leased: LeasedMessage[] = [];
    while (leased.length < 120) leased.push(...(await scene.claim()));
    for (const each of leased) await scene.retry(each, 10);
    await scene.limit(QUEUE, { parallelism: 120, paused: true });
    await scene.publish("other");
    await scene.retry(await scene.claimOne(), 20);
    scene.clock.advance(20);
    const found: string[] = [];
    for (let claims = 0; claims < 4; claims++) found.push(...(await scene.claimIds()));
    assert.deepEqual(found, ["other"]);
    await scene.limit(QUEUE, { parallelism: 120 });
    const again: string[] = [];
    for (let claims = 0; claims < 6; claims++) again.push(...(await scene.claimIds()));
    assert.deepEqual(again.toSorted(), ids);
  });

  promise("a key's retry waits for its paused queue, and then for its key", async (scene) => {
    const flowControl = { key: "key", periodMs: 1000 };
    await scene.limit(keyLine("key"), { parallelism: 1 });
    await scene.publish("a", { ...queued, flowControl });
    await scene.handBack(await scene.claimOne());
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    await scene.publish("busy", { flowControl });
    const busy = await scene.claimOne();
    assert.equal(busy.lease.messageId, "busy");
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.state("a"))?.line, keyLine("key"));
    await scene.deliver(busy);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise("cancelling one that went back into its paused queue frees its slot", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    await scene.handBack(await scene.claimOne());
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    assert.deepEqual(await scene.claimIds(), []);
    await scene.cancel("a");
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("a slot that comes free while others come is given away", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    const a = await scene.claimOne();
    assert.deepEqual(await scene.claimIds(), []);
    await Promise.all([scene.deliver(a), scene.publish("c", { url: "https://c.test/" })]);
    assert.deepEqual((await scene.claimIds()).toSorted(), ["b", "c"]);
  });

  promise("a suspect that went back into its queue is let in when there is room", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 2 });
    await scene.publish("a", queued);
    await scene.lose("a", 3);
    await scene.publish("b", queued);
    const [a, b] = await scene.claim();
    assert.deepEqual(idsOf([a!, b!]), ["a", "b"]);
    await scene.handBack(a!);
    await scene.limit(QUEUE, { parallelism: 2, paused: true });
    scene.clock.advance(10_000);
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.state("a"))?.line, QUEUE);
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(b!);
    scene.clock.advance(10_000);
    assert.deepEqual([...(await scene.claimIds()), ...(await scene.claimIds())], ["a"]);
  });

  promise("a suspect of a paused queue waits like the others", async (scene) => {
    await scene.publish("a", queued);
    await scene.lose("a", 3);
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    for (let look = 0; look < 3; look++) {
      scene.clock.advance(10_000);
      assert.deepEqual(await scene.claimIds(), []);
    }
    const parked = await scene.state("a");
    assert.deepEqual([parked?.line, parked?.lineAfter], [QUEUE, "h:example.test"]);
    const { leased, nextAt } = await scene.claimed();
    assert.deepEqual([leased, nextAt], [[], null]);
    await scene.limit(QUEUE, { parallelism: 1 });
    scene.clock.advance(10_000);
    assert.deepEqual([...(await scene.claimIds()), ...(await scene.claimIds())], ["a"]);
  });

  promise("a paused queue does not hold back the callbacks of what it sent", async (scene) => {
    await scene.publish("a", { ...queued, callback: aCallback() });
    const a = await scene.claimOne();
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    await scene.deliver(a);
    assert.deepEqual(await scene.claimIds(), ["a-callback-1"]);
  });

  promise("a queue that is removed leaves no message behind without a visit", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    await scene.publishAll(["a", "b"], queued);
    assert.deepEqual(await scene.claimIds(), []);
    const key = { accountId: "account", line: QUEUE };
    await scene.act({ rule: "unset-line", at: scene.now, ...key });
    assert.equal(await scene.store.reader.lines.report(key, scene.now), null);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise("what is in a queue is told apart from what came later", async (scene) => {
    const key = { accountId: "account", line: QUEUE };
    assert.equal(await scene.store.reader.lines.lastPosition(key), 0);
    await scene.publishAll(["a", "b", "c"], queued);
    await scene.publish("elsewhere", { queueName: "other" });
    await scene.claim();
    const upTo = await scene.store.reader.lines.lastPosition(key);
    await scene.publish("d", queued);
    const idsUpTo = async (count: number): Promise<string[]> => {
      const found = await scene.store.reader.lines.queued(key, upTo, count);
      return found.map(({ messageId }) => messageId).toSorted();
    };
    assert.deepEqual(await idsUpTo(10), ["a", "b", "c"]);
    assert.equal((await idsUpTo(2)).length, 2);
    await scene.cancel("a", "b");
    assert.deepEqual(await idsUpTo(10), ["c"]);
  });

  promise("queues of one name in two accounts do not know each other", async (scene) => {
    await scene.publish("a", queued);
    await scene.publish("a", { ...queued, accountId: "other" });
    assert.deepEqual(await scene.claimIds(), ["a", "a"]);
  });

  promise("delayed messages let ready ones pass, and go when they are due", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 5 });
    await scene.publish("last", { ...queued, delayMs: 1000 });
    await scene.publish("second", { ...queued, delayMs: 700 });
    await scene.publish("first", queued);
    assert.deepEqual(await scene.claimIds(), ["first"]);
    scene.clock.advance(700);
    assert.deepEqual(await scene.claimIds(), ["second"]);
    scene.clock.advance(300);
    assert.deepEqual(await scene.claimIds(), ["last"]);
  });
});
