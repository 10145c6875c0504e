/** What an account did is counted by the day, exactly, whenever it is read. */
import assert from "node:assert/strict";
import { type DailyCount, dayOf } from "../../src/core/model/account/stats.ts";
import { aCallback, aPublish } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

const DAY_MS = 86_400_000;

contract("daily counts", (promise) => {
  promise("every message that is made counts, and so does its end", async (scene) => {
    await scene.publishAll(["a", "b", "c"], { callback: aCallback() });
    await scene.publish("other", { accountId: "neighbour" });
    const leased = await scene.claim();
    for (const each of leased.filter(({ lease }) => lease.messageId === "a")) {
      await scene.deliver(each);
    }
    for (const each of leased.filter(({ lease }) => lease.messageId === "b")) {
      await scene.kill(each);
    }
    // The two callbacks are messages like others.
    assert.deepEqual(await today(scene), { messages: 5, delivered: 1, failed: 1, dropped: 0 });
    assert.deepEqual(await today(scene, "neighbour"), {
      messages: 1,
      delivered: 0,
      failed: 0,
      dropped: 0,
    });
    assert.deepEqual(await scene.store.reader.accounts.dailyCounts("nobody", 0), []);
  });

  promise("a duplicate and a retried attempt do not count", async (scene) => {
    const deduplication = { key: "once", expiresAt: scene.now + 1_000 };
    for (const id of ["a", "b"]) {
      await scene.act(aPublish(scene.now, scene.item(id, {}, deduplication)));
    }
    await scene.retry(await scene.claimOne(), 0);
    assert.deepEqual(await today(scene), { messages: 1, delivered: 0, failed: 0, dropped: 0 });
  });

  promise("many at once are counted to the last", async (scene) => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `message-${index}`);
    await Promise.all(ids.map((id) => scene.publish(id, { accountId: `account-${id.length}` })));
    const counted = await Promise.all(
      [9, 10, 11].map((length) => today(scene, `account-${length}`)),
    );
    assert.deepEqual(
      counted.map(({ messages }) => messages),
      [10, 90, 900],
    );
  });

  promise("nothing is counted twice or left out as seconds pass", async (scene) => {
    for (let second = 0; second < 4; second++) {
      await scene.publish(`a-${second}`);
      await scene.deliver(await scene.claimOne());
      await scene.publish(`b-${second}`, { delayMs: 60_000 });
      assert.deepEqual(await today(scene), {
        messages: 2 * second + 2,
        delivered: second + 1,
        failed: 0,
        dropped: 0,
      });
      scene.clock.advance(700);
      await scene.store.beat("node");
    }
  });

  promise("what is swept from the log stays counted", async (scene) => {
    await scene.store.beat("node");
    await scene.publish("a");
    await scene.deliver(await scene.claimOne());
    const counted = await today(scene);
    const swept = await scene.store.sweepAccount({
      accountId: "account",
      now: scene.now,
      endedBefore: scene.now + 1,
      deadLettersBefore: 0,
      surplusBefore: null,
      after: "",
      pageMax: 10,
    });
    assert.equal(swept.removed, 1);
    assert.deepEqual(await today(scene), counted);
    assert.deepEqual([counted.messages, counted.delivered], [1, 1]);
  });

  promise("each day has its own counts, and old ones are swept", async (scene) => {
    const firstDay = dayOf(scene.now);
    await scene.publish("a");
    scene.clock.advance(DAY_MS);
    await scene.publishAll(["b", "c"]);
    const days = async (fromDay: number) =>
      (await scene.store.reader.accounts.dailyCounts("account", fromDay)).map(
        ({ day, messages }) => [day, messages],
      );
    assert.deepEqual(await days(firstDay), [
      [firstDay, 1],
      [firstDay + 1, 2],
    ]);
    assert.deepEqual(await days(firstDay + 1), [[firstDay + 1, 2]]);
    const request = { now: scene.now, countsBefore: scene.now, keysBefore: 0, pageMax: 10 };
    const swept = await scene.store.sweep(request);
    assert.deepEqual(swept, { removed: 1, more: false });
    assert.deepEqual(await days(0), [[firstDay + 1, 2]]);
  });
});

async function today(scene: Scene, accountId = "account"): Promise<Omit<DailyCount, "day">> {
  const counts = await scene.store.reader.accounts.dailyCounts(accountId, dayOf(scene.now));
  assert.equal(counts.length, 1);
  const { day, ...rest } = counts[0]!;
  assert.equal(day, dayOf(scene.now));
  return rest;
}
