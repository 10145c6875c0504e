/** What waits in each account is counted once a minute, and kept as a series. */
import assert from "node:assert/strict";

import { STAT_STEPS_MS, startOfStep } from "../../src/core/model/account/stats.ts";
import { StatsRecorder } from "../../src/engine/upkeep/stats-recorder.ts";
import { contract, type Scene } from "./scene.ts";

const EVER = { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER };
const { minute, day } = STAT_STEPS_MS;

contract("backlog", (promise) => {
  promise("what is due and what is not are counted apart, with the oldest", async (scene) => {
    await scene.publishAll(["first", "second"]);
    scene.clock.advance(5_000);
    await scene.publish("third");
    await scene.publish("later", { delayMs: 600_000 });
    await scene.publish("of another", { accountId: "other", delayMs: 1 });
    await record(scene);
    const { now } = scene;
    for (const step of ["minute", "hour", "day"] as const) {
      assert.deepEqual(await backlog(scene, step), [
        { startAt: startOfStep(now, step), due: 3, later: 1, oldestDueMs: 5_000 },
      ]);
    }
    assert.deepEqual(await backlog(scene, "minute", "other"), [
      { startAt: startOfStep(now, "minute"), due: 0, later: 1, oldestDueMs: null },
    ]);
  });

  promise("a message in a queue has been due since it was made", async (scene) => {
    await scene.publish("queued", { queueName: "q" });
    scene.clock.advance(5_000);
    await scene.publish("queued later", { queueName: "q" });
    await scene.publish("in no queue");
    await scene.publish("of another", { accountId: "other", queueName: "q" });
    scene.clock.advance(1_000);
    await record(scene);
    const [point] = await backlog(scene, "minute");
    assert.deepEqual([point?.due, point?.oldestDueMs], [3, 6_000]);
    const [other] = await backlog(scene, "minute", "other");
    assert.deepEqual([other?.due, other?.oldestDueMs], [1, 1_000]);
  });

  promise("messages under way and ended ones do not wait", async (scene) => {
    await scene.publishAll(["sent", "active", "retried"]);
    const [sent, , retried] = await scene.claim();
    await scene.deliver(sent!);
    await scene.retry(retried!, 30_000);
    await record(scene);
    const [point] = await backlog(scene, "minute");
    assert.deepEqual([point?.due, point?.later, point?.oldestDueMs], [0, 1, null]);
  });

  promise("a range has the step that begins it, and not the one that ends it", async (scene) => {
    const from = startOfStep(scene.now + minute, "minute");
    scene.clock.advance(from - scene.now);
    await scene.publish("waiting", { delayMs: day });
    await record(scene);
    const counted = async (fromAt: number, toAt: number): Promise<number> => {
      const range = { step: "minute", fromAt, toAt } as const;
      return (await scene.store.reader.stats.backlog("account", range)).length;
    };
    assert.equal(await counted(from, from + 1), 1);
    assert.equal(await counted(from + 1, from + minute), 0);
    assert.equal(await counted(from - minute, from), 0);
  });

  promise("each minute has a count of its own, an hour its last one", async (scene) => {
    const start = startOfStep(scene.now, "hour");
    scene.clock.advance(start + STAT_STEPS_MS.hour - scene.now);
    for (const messageId of ["a", "b", "c"]) {
      await scene.publish(messageId);
      await record(scene);
      scene.clock.advance(minute);
    }
    assert.deepEqual(
      (await backlog(scene, "minute")).map(({ due }) => due),
      [1, 2, 3],
    );
    assert.deepEqual(
      (await backlog(scene, "hour")).map(({ due }) => due),
      [3],
    );
  });

  promise(
    "the first count with nothing left is kept, and replaces those of its hour",
    async (scene) => {
      const start = startOfStep(scene.now, "hour");
      scene.clock.advance(start + STAT_STEPS_MS.hour - scene.now);
      await scene.publish("a");
      await record(scene);
      const [leased] = await scene.claim();
      await scene.deliver(leased!);
      for (let later = 1; later <= 3; later++) {
        scene.clock.advance(minute);
        await record(scene);
      }
      const [waited, empty, ...others] = await backlog(scene, "minute");
      assert.equal(waited?.due, 1);
      assert.deepEqual(empty, {
        startAt: waited.startAt + minute,
        due: 0,
        later: 0,
        oldestDueMs: null,
      });
      assert.deepEqual(others, []);
      assert.deepEqual((await backlog(scene, "hour"))[0]?.due, 0);
    },
  );

  promise("of several nodes the first counts in a minute", async (scene) => {
    await scene.publish("a");
    await record(scene);
    await scene.publish("b");
    await record(scene);
    assert.deepEqual(
      (await backlog(scene, "minute")).map(({ due }) => due),
      [1],
    );
  });

  promise("old counts are swept with the steps of stats", async (scene) => {
    await scene.publish("waits", { delayMs: 500 * day });
    await record(scene);
    const left = async (days: number): Promise<number[]> => {
      const now = scene.now + days * day;
      await scene.store.sweep({ now, countsBefore: 0, keysBefore: 0, pageMax: 10 });
      const steps = ["minute", "hour", "day"] as const;
      const found = await Promise.all(steps.map((step) => backlog(scene, step)));
      return found.map(({ length }) => length);
    };
    assert.deepEqual(await left(0.9), [1, 1, 1]);
    assert.deepEqual(await left(1.9), [0, 1, 1]);
    assert.deepEqual(await left(33), [0, 0, 1]);
    assert.deepEqual(await left(402), [0, 0, 0]);
  });
});

/** As a node that has just been started does. */
async function record({ store }: Scene): Promise<void> {
  await new StatsRecorder({ store, clock: store.clock }).runOnce();
}

function backlog(scene: Scene, step: "minute" | "hour" | "day", accountId = "account") {
  return scene.store.reader.stats.backlog(accountId, { step, ...EVER });
}
