/** A message that waits for its time is sent before it. */
import assert from "node:assert/strict";

import { keyLine } from "../../src/core/model/line/line.ts";
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
