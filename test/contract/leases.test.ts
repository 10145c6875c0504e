import assert from "node:assert/strict";

import { contract } from "./scene.ts";

contract("leases", (promise) => {
  promise("a lease settles once", async (scene) => {
    await scene.publish("a");
    const leased = await scene.claimOne();
    assert.equal(await scene.retry(leased, 0), "settled");
    assert.equal(await scene.deliver(leased), "stale");
    assert.equal(await scene.phase("a"), "waiting");
    const again = await scene.claimOne();
    assert.equal(await scene.deliver(leased), "stale");
    assert.equal(await scene.phase("a"), "active");
    assert.equal(await scene.deliver(again), "settled");
    assert.equal(await scene.deliver(again), "stale");
    assert.deepEqual(await scene.states("a"), [
      "CREATED",
      "ACTIVE",
      "ERROR",
      "RETRY",
      "ACTIVE",
      "DELIVERED",
    ]);
  });

  promise("every lease has a higher fence than those before it", async (scene) => {
    await scene.publish("a");
    const fences: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const leased = await scene.claimOne();
      fences.push(leased.lease.fence);
      if (turn === 0) await scene.handBack(leased);
      else if (turn === 1) await scene.takeOver();
      else await scene.retry(leased, 0);
    }
    assert.deepEqual(
      fences,
      [...new Set(fences)].toSorted((one, other) => one - other),
    );
    assert.equal(fences.length, 4);
  });

  promise("an old lease settles nothing, whatever became of the message", async (scene) => {
    await scene.publish("a");
    const first = await scene.claimOne({ nodeId: "first" });
    await scene.takeOver({ nodeId: "second" });
    assert.equal(await scene.kill(first), "stale");
    const second = await scene.claimOne({ nodeId: "second" });
    assert.equal(await scene.kill(first), "stale");
    assert.equal(await scene.handBack(first), "stale");
    assert.equal(await scene.phase("a"), "active");
    assert.deepEqual(await scene.deadLetters(), []);
    assert.equal(await scene.deliver(second), "settled");
  });

  promise("one act settles by the old lease and one by the new, in one group", async (scene) => {
    await scene.publish("a");
    const first = await scene.claimOne();
    await scene.handBack(first);
    const second = await scene.claimOne();
    assert.deepEqual(await Promise.all([scene.kill(first), scene.deliver(second)]), [
      "stale",
      "settled",
    ]);
    assert.equal(await scene.phase("a"), "DELIVERED");
  });

  promise("of two settlements of one lease in a group the first counts", async (scene) => {
    await scene.publish("a");
    const leased = await scene.claimOne();
    assert.deepEqual(await Promise.all([scene.deliver(leased), scene.kill(leased)]), [
      "settled",
      "stale",
    ]);
    assert.deepEqual(await scene.deadLetters(), []);
  });

  promise("a lease of another account's message of the same id is not a lease", async (scene) => {
    await scene.publish("a");
    await scene.publish("a", { accountId: "other" });
    const leased = await scene.claim();
    const mine = leased.find(({ lease }) => lease.accountId === "account");
    assert.ok(mine);
    assert.equal(await scene.deliver(mine), "settled");
    assert.equal(await scene.phase("a"), "DELIVERED");
    assert.equal(await scene.phase("a", "other"), "active");
  });

  promise("a lease that is given back counts for nothing", async (scene) => {
    await scene.publish("a");
    for (let turn = 0; turn < 20; turn++) {
      const leased = await scene.claimOne();
      assert.equal(leased.attempts, 0);
      assert.equal(await scene.handBack(leased), "waiting");
      assert.equal(await scene.handBack(leased), "stale");
    }
    const state = await scene.state("a");
    assert.deepEqual([state?.phase, state?.attempts, state?.losses], ["waiting", 0, 0]);
    assert.deepEqual([state?.nodeId, state?.leasedAt], [null, null]);
  });

  promise("leases of a node are found by their age", async (scene) => {
    await scene.publish("a");
    const old = await scene.claimOne({ nodeId: "mine" });
    scene.clock.advance(1000);
    await scene.publish("b");
    await scene.claimOne({ nodeId: "mine" });
    await scene.publish("c", { leasedBy: "another" });
    const { reader } = scene.store;
    assert.deepEqual(await reader.upkeep.leases("mine", scene.now - 1000), []);
    assert.deepEqual(await reader.upkeep.leases("mine", scene.now - 999), [old.lease]);
    assert.equal((await reader.upkeep.leases("mine", scene.now + 1)).length, 2);
    await scene.deliver(old);
    assert.equal((await reader.upkeep.leases("mine", scene.now + 1)).length, 1);
  });
});
