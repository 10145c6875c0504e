/** A message that waits for its time is sent before it. */
import assert from "node:assert/strict";

import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import { contract, idsOf, type Scene } from "./scene.ts";

const HOUR_MS = 3_600_000;

const sendNow = (scene: Scene, messageId: string, accountId = "account"): Promise<string> =>
  scene.act({ rule: "send-now", at: scene.now, key: { accountId, messageId } });

contract("sending now", (promise) => {
  promise("ends a delay", async (scene) => {
    await scene.publish("a", { delayMs: HOUR_MS });
    assert.deepEqual(await scene.claim(), []);
    assert.equal(await sendNow(scene, "a"), "due");
    assert.equal((await scene.claimOne()).lease.messageId, "a");
  });

  promise("ends the wait for a retry, and counts no attempt", async (scene) => {
    await scene.publish("a");
    await scene.retry(await scene.claimOne(), HOUR_MS);
    assert.deepEqual(await scene.claim(), []);
    assert.equal(await sendNow(scene, "a"), "due");
    assert.equal((await scene.claimOne()).attempts, 1);
  });

  promise("lets the delayed head of a queue go, and keeps the order", async (scene) => {
    await scene.publish("first", { queueName: "queue", delayMs: HOUR_MS });
    await scene.publish("second", { queueName: "queue" });
    assert.equal(await sendNow(scene, "first"), "due");
    assert.equal((await scene.claimOne()).lease.messageId, "first");
  });

  promise("does not break the limit of a key", async (scene) => {
    const flowControl = { key: "key", parallelism: 1, periodMs: 1_000 };
    await scene.limit(keyLine("key"), { parallelism: 1 });
    await scene.publish("a", { flowControl });
    await scene.publish("b", { flowControl, delayMs: HOUR_MS });
    const first = await scene.claimOne();
    assert.equal(await sendNow(scene, "b"), "due");
    assert.deepEqual(await scene.claim(), []);
    await scene.deliver(first);
    assert.deepEqual(idsOf(await scene.claim()), ["b"]);
  });

  promise("leaves alone what is under way, ended or another account's", async (scene) => {
    await scene.publish("a");
    const leased = await scene.claimOne();
    assert.equal(await sendNow(scene, "a"), "active");
    await scene.deliver(leased);
    assert.equal(await sendNow(scene, "a"), "ended");
    await scene.publish("b", { delayMs: HOUR_MS });
    assert.equal(await sendNow(scene, "b", "neighbor"), "ended");
    assert.deepEqual(await scene.claim(), []);
  });

  promise("a message that is due stays where it is", async (scene) => {
    await scene.publish("a");
    const before = await scene.state("a");
    scene.clock.advance(50);
    assert.equal(await sendNow(scene, "a"), "due");
    assert.deepEqual(await scene.state("a"), before);
  });
});

const sendMany = (scene: Scene, ids: readonly string[], waitMs = 0): Promise<number> =>
  scene.act({
    rule: "send-many-now",
    at: scene.now,
    messages: ids.map((messageId) => ({
      key: { accountId: "account", messageId },
      dueAt: scene.now + waitMs,
    })),
  });

contract("sending many now", (promise) => {
  promise("ends the waits, and counts those that waited for a time", async (scene) => {
    await scene.publish("due");
    const active = await scene.claimOne();
    await scene.publish("a", { delayMs: HOUR_MS });
    await scene.publish("b", { delayMs: HOUR_MS });
    await scene.publish("now");
    assert.equal(await sendMany(scene, ["due", "a", "b", "now", "unknown"]), 2);
    assert.deepEqual((await scene.claimIds()).toSorted(), ["a", "b", "now"]);
    await scene.deliver(active);
  });

  promise("each is due at its own instant, and none later than before", async (scene) => {
    await scene.publish("long", { delayMs: HOUR_MS });
    await scene.publish("short", { delayMs: 1_000 });
    assert.equal(await sendMany(scene, ["long", "short"], 60_000), 2);
    scene.clock.advance(1_000);
    assert.deepEqual(await scene.claimIds(), ["short"]);
    scene.clock.advance(59_000);
    assert.deepEqual(await scene.claimIds(), ["long"]);
  });

  promise("a delayed message of a queue is due, and the order stays", async (scene) => {
    await scene.publish("first", { queueName: "queue", delayMs: HOUR_MS });
    await scene.publish("second", { queueName: "queue" });
    assert.equal(await sendMany(scene, ["second", "first"]), 1);
    assert.equal((await scene.claimOne()).lease.messageId, "first");
  });

  promise("what the action would change is found among what has not ended", async (scene) => {
    await scene.publish("a", { delayMs: HOUR_MS });
    await scene.publish("b");
    await scene.publish("c", { delayMs: HOUR_MS, labels: ["red"] });
    const { messages } = scene.store.reader;
    const range = { after: "", upTo: "z", count: 10 };
    const target = { action: "send-now", at: scene.now } as const;
    const found = async (filter: object): Promise<readonly string[]> =>
      (await messages.live("account", filter, { ...range, target })).items;
    assert.deepEqual(await found({}), ["a", "c"]);
    assert.deepEqual(await found({ labels: ["red"] }), ["c"]);
    const later = { action: "send-now", at: scene.now + HOUR_MS } as const;
    assert.deepEqual((await messages.live("account", {}, { ...range, target: later })).items, []);
    const all = { ...range, target: { action: "cancel" } as const };
    assert.deepEqual((await messages.live("account", {}, all)).items, ["a", "b", "c"]);
    await scene.cancel("a");
    assert.deepEqual((await messages.live("account", {}, all)).items, ["b", "c"]);
  });
});

contract("who holds the slots", (promise) => {
  promise("of a queue and of a key, the longest first and only so many", async (scene) => {
    const flowControl = { key: "key", parallelism: 3, periodMs: 1_000 };
    await scene.limit(keyLine("key"), { parallelism: 3 });
    await scene.limit(queueLine("queue"), { parallelism: 2 });
    for (const id of ["k1", "k2", "k3", "k4"]) {
      await scene.publish(id, { flowControl });
      await scene.claim();
      scene.clock.advance(10);
    }
    for (const id of ["q1", "q2", "q3"]) {
      await scene.publish(id, { queueName: "queue" });
      await scene.claim();
    }
    const { lines } = scene.store.reader;
    const named = [keyLine("key"), queueLine("queue"), queueLine("none")];
    assert.deepEqual(await lines.holders("account", named, 10), [
      ["k1", "k2", "k3"],
      ["q1", "q2"],
      [],
    ]);
    assert.deepEqual(await lines.holders("account", named, 1), [["k1"], ["q1"], []]);
    assert.deepEqual(await lines.holders("neighbor", named, 10), [[], [], []]);
  });
});
