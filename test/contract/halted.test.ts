import assert from "node:assert/strict";

import { contract, type Scene } from "./scene.ts";

async function change(
  scene: Scene,
  accountId: string,
  fields: { isPaused?: boolean; isSuspended?: boolean },
): Promise<void> {
  const at = scene.clock.now();
  const answer = await scene.act({ rule: "change-account", at, accountId, fields });
  assert.equal(answer?.isHalted, (fields.isPaused ?? fields.isSuspended) === true);
}

/** What resuming does beside changing the account. */
async function wake(scene: Scene, accountId: string): Promise<void> {
  const lines = await scene.store.reader.lines.names(accountId, "", 1_000);
  await scene.act({ rule: "make-lines-due", at: scene.clock.now(), accountId, lines });
}

contract("halted accounts", (promise) => {
  for (const field of ["isPaused", "isSuspended"] as const) {
    promise(`nothing of an account is claimed while ${field}`, async (scene) => {
      await scene.addAccount("one");
      await scene.addAccount("two");
      await change(scene, "one", { [field]: true });
      await scene.publish("m1", { accountId: "one" });
      await scene.publish("m2", { accountId: "two" });
      assert.deepEqual(await scene.claimIds(), ["m2"]);
      await change(scene, "one", { [field]: false });
      await wake(scene, "one");
      assert.deepEqual(await scene.claimIds(), ["m1"]);
    });
  }

  promise("its lines are not visited again and again", async (scene) => {
    await scene.addAccount("one");
    await change(scene, "one", { isPaused: true });
    for (let host = 0; host < 5; host++) {
      await scene.publish(`m${host}`, { accountId: "one", url: `https://h${host}.test/` });
    }
    const { leased, nextAt } = await scene.claimed();
    assert.deepEqual(leased, []);
    assert.ok(nextAt === null || nextAt >= scene.clock.now() + 60_000);
  });

  promise("a line that was not made due is found all the same, later", async (scene) => {
    await scene.addAccount("one");
    await change(scene, "one", { isPaused: true });
    await scene.publish("m1", { accountId: "one" });
    await scene.claim();
    await change(scene, "one", { isPaused: false });
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(600_000);
    assert.deepEqual(await scene.claimIds(), ["m1"]);
  });

  promise("a queue of it keeps its order, and admits nothing meanwhile", async (scene) => {
    await scene.addAccount("one");
    await change(scene, "one", { isPaused: true });
    for (const id of ["m1", "m2"]) {
      await scene.publish(id, { accountId: "one", queueName: "q" });
    }
    await scene.claim();
    await scene.claim();
    assert.equal((await scene.state("m1", "one"))?.lineAfter === null, false);
    await change(scene, "one", { isPaused: false });
    await wake(scene, "one");
    assert.deepEqual(await scene.claimIds(), ["m1"]);
  });

  promise("what is under way ends, and its retry waits", async (scene) => {
    await scene.addAccount("one");
    await scene.publish("m1", { accountId: "one" });
    const leased = await scene.claimOne();
    await change(scene, "one", { isPaused: true });
    await scene.retry(leased, 0);
    assert.deepEqual(await scene.claimIds(), []);
    await change(scene, "one", { isPaused: false });
    await wake(scene, "one");
    assert.deepEqual(await scene.claimIds(), ["m1"]);
  });
});
