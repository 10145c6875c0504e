import assert from "node:assert/strict";

import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import { contract, idsOf } from "./scene.ts";

const KEY = keyLine("key");
const keyed = { flowControl: { key: "key", periodMs: 1000 } };
const QUEUE = queueLine("queue");
const queued = { queueName: "queue" };

contract("a line without a free slot", (promise) => {
  promise("stays shut for one more message, so that no claim visits it in vain", async (scene) => {
    await scene.limit(KEY, { parallelism: 1 });
    for (const wish of [keyed, { queueName: "queue" }]) {
      const name = Object.keys(wish)[0]!;
      await scene.publishAll([`${name}-1`, `${name}-2`], wish);
      const first = await scene.claimOne();
      await scene.claimed();
      await scene.publish(`${name}-3`, wish);
      assert.deepEqual(await scene.claimed(), {
        leased: [],
        nextAt: null,
        linesPostponed: 0,
        accountsDue: [],
      });
      await scene.deliver(first);
      for (const number of [2, 3]) {
        const next = await scene.claimOne();
        assert.equal(next.lease.messageId, `${name}-${number}`);
        await scene.deliver(next);
      }
    }
  });
});

contract("messages that leave their queue", (promise) => {
  promise("come after those that wait for their host already", async (scene) => {
    await scene.publishAll(["h1", "h2", "h3"]);
    scene.clock.advance(1);
    await scene.publishAll(["a", "b"], queued);
    assert.deepEqual(await scene.claimIds({ slots: 2 }), ["h1", "h2"]);
    assert.deepEqual(await scene.claimIds({ slots: 2 }), ["h3", "a"]);
  });

  promise("wait for their host when there are too few slots", async (scene) => {
    for (const queueName of ["one", "two", "three"]) await scene.publish(queueName, { queueName });
    const order: string[] = [];
    for (let claim = 0; claim < 5; claim++) {
      order.push(...(await scene.claimIds({ slots: 1 })));
      scene.clock.advance(100);
    }
    assert.deepEqual(order.toSorted(), ["one", "three", "two"]);
    assert.deepEqual((await scene.claimed()).nextAt, null);
  });

  promise("leave it in their order, though the first one's host is full", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 2 });
    await scene.publish("a", { ...queued, url: "https://full.test/" });
    await scene.publish("b", { ...queued, url: "https://free.test/" });
    const fullHosts = ["full.test"];
    const first = await scene.claim({ fullHosts });
    const [b] = first.length > 0 ? first : await scene.claim({ fullHosts });
    assert.equal(b?.lease.messageId, "b");
    assert.equal((await scene.state("a"))?.lineAfter, null);
    await scene.publish("c", { ...queued, url: "https://free.test/" });
    assert.deepEqual(await scene.claimIds({ fullHosts }), []);
    assert.deepEqual(await scene.claimIds(), ["a"]);
    await scene.deliver(b);
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise("leave it in their order, though their account has room for some only", async (scene) => {
    await scene.addAccount("account", 2);
    await scene.limit(QUEUE, { parallelism: 3 });
    const hosts = { a: "one", b: "two", c: "one" };
    for (const [messageId, host] of Object.entries(hosts)) {
      await scene.publish(messageId, { ...queued, url: `https://${host}.test/` });
    }
    const gone: string[] = [];
    for (let claim = 0; claim < 5; claim++) {
      const leased = await scene.claim();
      gone.push(...idsOf(leased));
      const inQueue: string[] = [];
      for (const messageId of Object.keys(hosts)) {
        if ((await scene.state(messageId))?.lineAfter) inQueue.push(messageId);
      }
      assert.ok("abc".endsWith(inQueue.join("")), `only ${inQueue.join()} stayed`);
      for (const each of leased) await scene.deliver(each);
      scene.clock.advance(100);
    }
    assert.deepEqual(gone.toSorted(), Object.keys(hosts));
  });

  promise("are leased one at a time when they are suspects", async (scene) => {
    await scene.publish("a", queued);
    await scene.lose("a", 3);
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    scene.clock.advance(10_000);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.publish("other", { url: "https://other.test/" });
    await scene.lose("other", 3);
    scene.clock.advance(10_000);
    const other = await scene.claimOne();
    await scene.limit(QUEUE, { parallelism: 1 });
    scene.clock.advance(10_000);
    assert.deepEqual([...(await scene.claimIds()), ...(await scene.claimIds())], []);
    await scene.deliver(other);
    scene.clock.advance(10_000);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });
});
