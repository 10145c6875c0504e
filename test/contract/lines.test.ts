import assert from "node:assert/strict";

import { keyLine, queueLine, UNLIMITED } from "../../src/core/model/line/line.ts";
import { aLimit } from "../support/messages.ts";
import { contract, idsOf } from "./scene.ts";

const KEY = keyLine("key");
const keyed = { flowControl: { key: "key", periodMs: 1000 } };

contract("room in a line", (promise) => {
  promise(
    "the bell rings for an act that frees a slot for a waiting message, and for no other",
    async (scene) => {
      let rung = 0;
      scene.store.slotFreed.listen(() => (rung += 1));
      await scene.limit(KEY, { parallelism: 1 });
      await scene.publishAll(["a", "b"], keyed);
      await scene.publishAll(["c", "d"], { queueName: "queue" });
      const [first, second] = await scene.claim();
      await scene.claimIds();
      assert.equal(rung, 0);
      await scene.deliver(first!);
      assert.equal(rung, 1);
      await scene.deliver(second!);
      assert.equal(rung, 2);
      const last = await scene.claim();
      scene.clock.advance(2000);
      await scene.claim();
      for (const leased of last) await scene.deliver(leased);
      assert.equal(rung, 2);
    },
  );
});

contract("a line that is shut", (promise) => {
  promise("opens when a slot comes free, whatever is published later", async (scene) => {
    await scene.limit(KEY, { parallelism: 1 });
    for (const wish of [keyed, { queueName: "queue" }]) {
      const name = Object.keys(wish)[0]!;
      await scene.publishAll([`${name}-1`, `${name}-2`], wish);
      const first = await scene.claimOne();
      assert.deepEqual(await scene.claimed(), {
        leased: [],
        nextAt: null,
        linesPostponed: 0,
        accountsDue: [],
      });
      await scene.publish(`${name}-3`, { ...wish, delayMs: 1_000_000 });
      await scene.claim();
      await scene.deliver(first);
      await scene.deliver(await scene.claimOne());
      scene.clock.advance(1_000_000);
      assert.deepEqual(await scene.claimIds(), [`${name}-3`]);
      await scene.takeOver();
      await scene.deliver(await scene.claimOne());
    }
  });

  promise("opens when it is resumed while the clock is set back", async (scene) => {
    const line = queueLine("queue");
    await scene.limit(line, { parallelism: 1, paused: true });
    await scene.publish("a", { queueName: "queue" });
    const { accountsDue, ...claim } = await scene.claimed();
    assert.deepEqual(claim, { leased: [], nextAt: null, linesPostponed: 1 });
    assert.deepEqual(accountsDue, ["account"]);
    const key = { accountId: "account", line };
    await scene.act(aLimit(scene.now + 1_000, key, { ...UNLIMITED, parallelism: 1 }));
    scene.clock.advance(1_000);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });
});

contract("a line that was emptied", (promise) => {
  promise("is not due again, so that new messages do not wait behind it", async (scene) => {
    for (const wish of [{}, keyed, { queueName: "queue" }]) {
      const messageId = await scene.publish(`m${Object.keys(wish)[0] ?? ""}`, wish);
      const { leased, nextAt } = await scene.claimed();
      assert.deepEqual([leased.map(({ lease }) => lease.messageId), nextAt], [[messageId], null]);
      await scene.deliver(leased[0]!);
      assert.deepEqual(await scene.claimed(), {
        leased: [],
        nextAt: null,
        linesPostponed: 0,
        accountsDue: [],
      });
    }
  });
});

contract("a line that a message leaves", (promise) => {
  promise("is not due because another one is shut", async (scene) => {
    await scene.limit(keyLine("shut"), { paused: true });
    await scene.publish("held", { flowControl: { key: "shut", periodMs: 1000 } });
    await scene.claimed();
    await scene.limit(KEY, { parallelism: 2 });
    await scene.publish("a", keyed);
    const leased = await scene.claimOne();
    await scene.publish("later", { ...keyed, delayMs: 5_000 });
    const laterAt = scene.now + 5_000;
    await scene.deliver(leased);
    assert.deepEqual(await scene.claimed(), {
      leased: [],
      nextAt: laterAt,
      linesPostponed: 0,
      accountsDue: [],
    });

    await scene.publish("b", keyed);
    const [second] = await scene.claim();
    await Promise.all([scene.deliver(second!), scene.publish("c", { url: "https://c.test/" })]);
    const { leased: others, nextAt, linesPostponed } = await scene.claimed();
    assert.deepEqual([idsOf(others), nextAt, linesPostponed], [["c"], laterAt, 1]);
  });
});

contract("the lines of a host", (promise) => {
  promise("retries stand apart, so that first attempts do not wait behind them", async (scene) => {
    await scene.publishAll(["a", "b"]);
    for (const leased of await scene.claim()) await scene.retry(leased, 10);
    await scene.publish("c");
    scene.clock.advance(10);
    assert.equal((await scene.state("a"))?.line, "r:example.test");
    assert.deepEqual(await scene.claimIds({ retrySlots: 0 }), ["c"]);
    assert.deepEqual(await scene.claimIds({ retrySlots: 1 }), ["a"]);
    assert.deepEqual(await scene.claimIds({ slots: 0, retrySlots: 1 }), []);
    assert.deepEqual(await scene.claimIds({ retrySlots: 1 }), ["b"]);
  });

  promise("the retries of a full host are left out too", async (scene) => {
    await scene.publish("a");
    await scene.retry(await scene.claimOne(), 0);
    assert.deepEqual(await scene.claimIds({ fullHosts: ["example.test"] }), []);
    scene.clock.advance(100);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });
});

contract("a key's parallelism", (promise) => {
  promise(
    "it is never exceeded, and a settlement frees a slot for the next message",
    async (scene) => {
      await scene.limit(KEY, { parallelism: 2 });
      await scene.publishAll(["a", "b", "c", "d"], keyed);
      const leased = await scene.claim();
      assert.deepEqual(
        leased.map(({ lease }) => lease.messageId),
        ["a", "b"],
      );
      assert.deepEqual(await scene.claimIds(), []);
      await scene.deliver(leased[0]!);
      assert.deepEqual(await scene.claimIds(), ["c"]);
      await scene.kill(leased[1]!);
      assert.deepEqual(await scene.claimIds(), ["d"]);
    },
  );

  promise("a message that waits for its retry takes no slot", async (scene) => {
    await scene.limit(KEY, { parallelism: 1 });
    await scene.publishAll(["a", "b"], keyed);
    await scene.retry(await scene.claimOne(), 1000);
    assert.equal((await scene.state("a"))?.line, KEY);
    const b = await scene.claimOne();
    assert.equal(b.lease.messageId, "b");
    scene.clock.advance(1000);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(b);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise("a slot is free after a hand-back, a take-over and a canceled attempt", async (scene) => {
    await scene.limit(KEY, { parallelism: 1 });
    await scene.publishAll(["a", "b"], keyed);
    await scene.handBack(await scene.claimOne());
    const a = await scene.claimOne();
    await scene.takeOver();
    assert.equal(await scene.deliver(a), "stale");
    const again = await scene.claimOne();
    assert.equal(again.lease.messageId, "a");
    await scene.cancel("a");
    assert.deepEqual(await scene.claimIds(), []);
    await scene.retry(again, 0);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("messages of every host count, and other accounts' do not", async (scene) => {
    await scene.limit(KEY, { parallelism: 1 });
    await scene.publish("a", { ...keyed, url: "https://one.test/" });
    await scene.publish("b", { ...keyed, url: "https://two.test/" });
    await scene.publishAll(["c", "d"], { ...keyed, accountId: "other" });
    assert.deepEqual((await scene.claimIds()).toSorted(), ["a", "c", "d"]);
  });

  promise("new limits rule at once, upward and downward", async (scene) => {
    await scene.limit(KEY, { parallelism: 1 });
    await scene.publishAll(["a", "b", "c", "d"], keyed);
    const [a] = await scene.claim();
    await scene.limit(KEY, { parallelism: 3 });
    const [b, c] = await scene.claim();
    assert.ok(a && b && c);
    await scene.limit(KEY, { parallelism: 1 });
    await scene.deliver(a);
    await scene.deliver(b);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.deliver(c);
    assert.deepEqual(await scene.claimIds(), ["d"]);
  });

  promise("a paused key leases nothing until it is resumed", async (scene) => {
    await scene.limit(KEY, { paused: true });
    await scene.publish("a", keyed);
    scene.clock.advance(100_000);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.limit(KEY, { paused: false });
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });
});

contract("a key's rate", (promise) => {
  promise("so many start in a window, and the next ones when it is over", async (scene) => {
    await scene.limit(KEY, { rate: 2, periodMs: 1000 });
    await scene.publishAll(["a", "b", "c", "d", "e"], keyed);
    assert.deepEqual(await scene.claimIds({ slots: 1 }), ["a"]);
    scene.clock.advance(400);
    assert.deepEqual(await scene.claimIds(), ["b"]);
    assert.equal((await scene.claimed()).nextAt, scene.now + 600);
    scene.clock.advance(599);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    assert.deepEqual(await scene.claimIds(), ["c", "d"]);
  });

  promise("one that is raised counts at once, before the window is over", async (scene) => {
    await scene.limit(KEY, { rate: 1, periodMs: 1000 });
    await scene.publishAll(["a", "b", "c"], keyed);
    assert.deepEqual(await scene.claimIds(), ["a"]);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(10);
    await scene.limit(KEY, { rate: 2, periodMs: 1000 });
    assert.deepEqual(await scene.claimIds(), ["b"]);
    scene.clock.advance(10);
    await scene.act({ rule: "unset-line", at: scene.now, accountId: "account", line: KEY });
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise("every start counts, retries and what was handed back too", async (scene) => {
    await scene.limit(KEY, { rate: 3, periodMs: 1000 });
    await scene.publishAll(["a", "b"], keyed);
    const [a, b] = await scene.claim();
    assert.ok(a && b);
    await scene.retry(a, 0);
    await scene.handBack(b);
    assert.equal((await scene.claimIds()).length, 1);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("rate and parallelism hold together", async (scene) => {
    await scene.limit(KEY, { parallelism: 1, rate: 2, periodMs: 1000 });
    await scene.publishAll(["a", "b", "c"], keyed);
    await scene.deliver(await scene.claimOne());
    await scene.deliver(await scene.claimOne());
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1000);
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise("a window goes on while the clock is set back, and is over in time", async (scene) => {
    await scene.limit(KEY, { rate: 1, periodMs: 1000 });
    await scene.publishAll(["a", "b"], keyed);
    await scene.claimOne();
    scene.clock.step(-3_600_000);
    await scene.publish("c", { ...keyed });
    scene.clock.advance(999);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    assert.deepEqual(await scene.claimIds(), ["b"]);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("a suspect's start counts like any other", async (scene) => {
    await scene.publish("suspect", keyed);
    await scene.lose("suspect", 3);
    scene.clock.advance(10_000);
    await scene.limit(KEY, { rate: 1, periodMs: 1000 });
    assert.deepEqual(await scene.claimIds(), ["suspect"]);
    await scene.publish("other", keyed);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1000);
    assert.deepEqual(await scene.claimIds(), ["other"]);
  });
});
