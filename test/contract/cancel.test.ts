import assert from "node:assert/strict";

import { aCallback } from "../support/messages.ts";
import { contract } from "./scene.ts";

contract("cancelling", (promise) => {
  promise("a waiting message is gone at once", async (scene) => {
    await scene.publishAll(["a", "b"]);
    assert.deepEqual(await scene.cancel("a"), { canceled: 1, inFlight: 0 });
    assert.deepEqual(await scene.states("a"), ["CREATED", "CANCEL_REQUESTED", "CANCELED"]);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise(
    "a message under way ends with its attempt, without retry or dead letter",
    async (scene) => {
      for (const verdict of [
        { kind: "retry", readyAt: scene.now } as const,
        { kind: "dead" } as const,
      ]) {
        const id = verdict.kind;
        await scene.publish(id, { callback: aCallback(), failureCallback: aCallback() });
        const leased = await scene.claimOne();
        assert.deepEqual(await scene.cancel(id), { canceled: 1, inFlight: 1 });
        assert.deepEqual(await scene.claimIds(), []);
        assert.equal(await scene.phase(id), "active");
        assert.equal(await scene.settle(leased, { verdict }), "canceled");
        assert.deepEqual(await scene.states(id), [
          "CREATED",
          "ACTIVE",
          "CANCEL_REQUESTED",
          "ERROR",
          "CANCELED",
        ]);
        const callback = await scene.claimOne();
        assert.equal(callback.lease.messageId, `${id}-callback-1`);
        await scene.deliver(callback);
      }
      assert.deepEqual(await scene.deadLetters(), []);
      scene.clock.advance(1_000_000);
      assert.deepEqual(await scene.claimIds(), []);
    },
  );

  promise("an attempt that arrives after all is delivered", async (scene) => {
    await scene.publish("a");
    const leased = await scene.claimOne();
    await scene.cancel("a");
    assert.equal(await scene.deliver(leased), "settled");
    assert.equal(await scene.phase("a"), "DELIVERED");
  });

  promise("a canceled lease that is given back is canceled", async (scene) => {
    await scene.publish("a");
    const leased = await scene.claimOne();
    await scene.cancel("a");
    assert.equal(await scene.handBack(leased), "canceled");
    assert.equal(await scene.phase("a"), "CANCELED");
  });

  promise("a message is counted once, and one that has ended not at all", async (scene) => {
    await scene.publishAll(["a", "b"]);
    const [a] = await scene.claim({ slots: 1 });
    assert.ok(a);
    assert.deepEqual(await scene.cancel("a", "a", "b", "b", "nobody"), {
      canceled: 2,
      inFlight: 1,
    });
    assert.deepEqual(await scene.cancel("a", "b"), { canceled: 0, inFlight: 0 });
    await scene.deliver(a);
    assert.deepEqual(await scene.cancel("a"), { canceled: 0, inFlight: 0 });
    assert.equal(
      (await scene.states("a")).filter((state) => state === "CANCEL_REQUESTED").length,
      1,
    );
  });

  promise("one account cannot cancel another's", async (scene) => {
    await scene.publish("a", { accountId: "other" });
    assert.deepEqual(await scene.cancel("a"), { canceled: 0, inFlight: 0 });
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });

  promise("canceled in the group that settles it, the order decides", async (scene) => {
    await scene.publishAll(["a", "b"]);
    const [a, b] = await scene.claim();
    assert.ok(a && b);
    const [first, second] = await Promise.all([
      Promise.all([scene.cancel("a"), scene.retry(a, 0)]),
      Promise.all([scene.retry(b, 0), scene.cancel("b")]),
    ]);
    assert.deepEqual(first, [{ canceled: 1, inFlight: 1 }, "canceled"]);
    assert.deepEqual(second, ["settled", { canceled: 1, inFlight: 0 }]);
    assert.deepEqual(await scene.claimIds(), []);
  });
});
