/** What waits in the lines of an account, and what holds it back. */
import assert from "node:assert/strict";

import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import type { WaitingLine } from "../../src/core/model/line/waiting.ts";
import { contract, type Scene } from "./scene.ts";

const DAY_MS = 86_400_000;

contract("waiting messages", (promise) => {
  promise("an account without messages has no waiting lines", async (scene) => {
    const { lines, isPartial } = await scene.store.reader.lines.waiting("account", scene.now);
    assert.deepEqual([lines, isPartial], [[], false]);
  });

  promise("due, delayed and retried messages of a line are counted apart", async (scene) => {
    const flowControl = { key: "key", periodMs: 1_000 };
    await scene.limit(keyLine("key"), { parallelism: 1 });
    await scene.publish("a-retried", { flowControl });
    await scene.retry(await scene.claimOne(), 5_000);
    await scene.publishAll(["c-due", "b-due", "d-due"], { flowControl });
    await scene.claimOne();
    await scene.publish("e-delayed", { flowControl, delayMs: DAY_MS });
    const { due, delayed, retried, held, setting } = await lineOf(scene, keyLine("key"));
    assert.equal(setting?.limits.parallelism, 1);
    assert.equal(held, 1);
    assert.deepEqual([due?.count, due?.isAbout, due?.oldestId], [2, false, "c-due"]);
    assert.deepEqual([delayed?.count, delayed?.readyAt], [1, scene.now + DAY_MS]);
    assert.deepEqual([retried?.oldestId, retried?.readyAt], ["a-retried", scene.now + 5_000]);
  });

  promise("a queue shows what waits behind the messages that hold its slots", async (scene) => {
    await scene.limit(queueLine("queue"), { parallelism: 1 });
    await scene.publishAll(["1", "2", "3"], { queueName: "queue" });
    await scene.claimOne();
    const { due, delayed, retried, held } = await lineOf(scene, queueLine("queue"));
    assert.deepEqual([due?.count, due?.oldestId, held], [2, "2", 1]);
    assert.deepEqual([delayed, retried], [null, null]);
  });

  promise("a line that has been emptied is not among them", async (scene) => {
    await scene.publish("one", { flowControl: { key: "key", periodMs: 1_000 } });
    await scene.claimOne();
    await scene.claim();
    const { lines } = await scene.store.reader.lines.waiting("account", scene.now);
    assert.deepEqual(lines, []);
  });

  promise("the load of a line tells its limits, its use and its account", async (scene) => {
    await scene.addAccount("capped", 2);
    await scene.limit(keyLine("key"), { rate: 3, periodMs: DAY_MS }, "capped");
    const wish = { accountId: "capped", flowControl: { key: "key", periodMs: DAY_MS } };
    await scene.publishAll(["1", "2", "3"], wish);
    assert.equal((await scene.claim()).length, 2);
    const key = { accountId: "capped", line: keyLine("key") };
    const { account, running, held, setting } = await scene.store.reader.lines.load(key);
    assert.deepEqual(account, { isHalted: false, parallelismMax: 2, held: 2 });
    assert.deepEqual([running?.windowStarts, held, setting?.limits.rate], [2, 2, 3]);
    const none = await scene.store.reader.lines.load({ accountId: "capped", line: keyLine("no") });
    assert.deepEqual([none.setting, none.running, none.held], [null, null, 0]);
  });

  promise("messages are read without their bodies, in the order of their ids", async (scene) => {
    await scene.publish("one", { url: "https://one.test/" });
    await scene.publish("two", { url: "https://two.test/" });
    const read = await scene.store.reader.messages.settings("account", ["two", "gone", "one"]);
    const urls = read.map((message) => message?.url ?? null);
    assert.deepEqual(urls, ["https://two.test/", null, "https://one.test/"]);
  });
});

async function lineOf(scene: Scene, name: string): Promise<WaitingLine> {
  const { lines } = await scene.store.reader.lines.waiting("account", scene.now);
  const found = lines.find(({ line }) => line === name);
  assert.ok(found, `${name} among ${lines.map(({ line }) => line).join()}`);
  return found;
}
