/** Settlements that lease the next message of their queue in the slot of the one that ends. */
import assert from "node:assert/strict";
import { hostLine, keyLine, queueLine } from "../../src/core/model/line/line.ts";
import { SUSPECT_LOSSES } from "../../src/core/model/message/message.ts";
import { isNextLeased, type NextInQueue } from "../../src/core/rules/message/next-in-queue.ts";
import type { SettleAnswer } from "../../src/core/rules/message/settlement.ts";
import type { LeasedMessage } from "../../src/store/store.ts";
import { aCallback, aSettlement } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

const QUEUE = queueLine("queue");
const queued = { queueName: "queue" };

contract("a settlement that leases the next message of its queue", (promise) => {
  promise("sends one after the other, in order, without a claim", async (scene) => {
    await scene.publishAll(["a", "b", "c"], queued);
    let leased: LeasedMessage | null = await scene.claimOne();
    const order: string[] = [];
    while (leased !== null) {
      order.push(leased.lease.messageId);
      assert.deepEqual(await scene.claimIds(), []);
      leased = await deliver(scene, leased);
    }
    assert.deepEqual(order, ["a", "b", "c"]);
    assert.deepEqual(await scene.store.reader.upkeep.counts(), { waiting: 0, active: 0 });
    await scene.publish("d", queued);
    assert.deepEqual(await scene.claimIds(), ["d"]);
  });

  promise("leases it as a claim does", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    const next = await deliver(scene, await scene.claimOne());
    assert.deepEqual(await scene.states("a"), ["CREATED", "ACTIVE", "DELIVERED"]);
    assert.deepEqual(await scene.states("b"), ["CREATED", "ACTIVE"]);
    const state = await scene.state("b");
    assert.deepEqual(
      [state?.phase, state?.nodeId, state?.fence, state?.leasedAt, state?.queue],
      ["active", "node", 1, scene.now, QUEUE],
    );
    assert.deepEqual([state?.line, state?.lineAfter], [hostLine(next!.host), null]);
    const status = await scene.store.reader.lines.report(
      { accountId: "account", line: QUEUE },
      scene.now,
    );
    assert.deepEqual(status?.status.held ?? 1, 1);
  });

  promise("its lease is like any other: retried, handed back, lost, canceled", async (scene) => {
    await scene.publishAll(["a", "b", "c", "d", "e"], queued);
    const b = (await deliver(scene, await scene.claimOne()))!;
    await scene.retry(b, 1_000);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1_000);
    const c = (await deliver(scene, await scene.claimOne()))!;
    assert.equal(c.lease.messageId, "c");
    await scene.handBack(c);
    const d = (await deliver(scene, await scene.claimOne()))!;
    assert.equal(d.lease.messageId, "d");
    assert.equal((await scene.takeOver()).waiting, 1);
    assert.equal(await scene.deliver(d), "stale");
    const e = (await deliver(scene, await scene.claimOne()))!;
    assert.equal(e.lease.messageId, "e");
    await scene.cancel("e");
    assert.equal(await scene.retry(e, 0), "canceled");
    await scene.publish("f", queued);
    assert.deepEqual(await scene.claimIds(), ["f"]);
  });

  for (const [why, verdict] of [
    ["is retried", { kind: "retry", readyAt: 0 }],
    ["has failed", { kind: "dead" }],
  ] as const) {
    promise(`leases none when the message ${why}`, async (scene) => {
      await scene.publishAll(["a", "b"], queued);
      const a = await scene.claimOne();
      assert.equal(await settled(scene, a, {}, verdict), "settled");
      assert.deepEqual(await scene.claimIds(), [verdict.kind === "dead" ? "b" : "a"]);
    });
  }

  promise("leases none while a callback of the message holds the slot", async (scene) => {
    await scene.publish("a", { ...queued, callback: aCallback() });
    await scene.publish("b", queued);
    const a = await scene.claimOne();
    assert.equal(await settled(scene, a), "settled");
    const callback = await scene.claimOne();
    assert.equal(callback.lease.messageId, "a-callback-1");
    assert.equal(await settled(scene, callback), "settled");
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("leases none from a paused queue, or above a lowered limit", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 2 });
    await scene.publishAll(["a", "b", "c", "d"], queued);
    const [a, b] = await scene.claim();
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.equal(await settled(scene, a!), "settled");
    assert.deepEqual(await scene.claimIds(), []);
    await scene.limit(QUEUE, { parallelism: 1, paused: true });
    assert.equal(await settled(scene, b!), "settled");
    assert.deepEqual(await scene.claimIds(), []);
    await scene.limit(QUEUE, { parallelism: 1 });
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise("leases none of an account that is halted or counted", async (scene) => {
    await scene.addAccount("account", 5);
    await scene.publishAll(["a", "b", "c"], queued);
    assert.equal(await settled(scene, await scene.claimOne()), "settled");
    const b = await scene.claimOne();
    await scene.act({
      rule: "change-account",
      at: scene.now,
      accountId: "account",
      fields: { overrides: {}, isPaused: true },
    });
    assert.equal(await settled(scene, b), "settled");
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("leases none that is not ready", async (scene) => {
    await scene.publish("a", queued);
    await scene.publish("b", { ...queued, delayMs: 1_000 });
    const a = await scene.claimOne();
    assert.equal(await settled(scene, a), "settled");
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1_000);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("passes those that are not ready", async (scene) => {
    await scene.publish("a", queued);
    const a = await scene.claimOne();
    await scene.publish("b", { ...queued, delayMs: 1_000 });
    await scene.publish("c", queued);
    assert.equal((await deliver(scene, a))?.lease.messageId, "c");
  });

  promise("leases none that this node cannot send, or that is under a key", async (scene) => {
    for (const [index, room] of [{ host: "other.test" }, { bytesMax: 2 }].entries()) {
      await scene.publish(`a${index}`, queued);
      await scene.publish(`b${index}`, { ...queued, body: new Uint8Array(3) });
      const a = await scene.claimOne();
      assert.equal(await settled(scene, a, room), "settled");
      const b = await scene.claimOne();
      assert.equal(b.lease.messageId, `b${index}`);
      assert.equal(await settled(scene, b, { queue: keyLine("key") }), "settled");
    }
    await scene.limit(keyLine("key"), { parallelism: 1, paused: true });
    await scene.publish("c", queued);
    await scene.publish("d", { ...queued, flowControl: { key: "key", periodMs: 1_000 } });
    assert.equal(await settled(scene, await scene.claimOne()), "settled");
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("leases none before those that wait for its host", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    const a = await scene.claimOne();
    await scene.publish("h");
    assert.equal(await settled(scene, a), "settled");
    assert.deepEqual((await scene.claimIds()).toSorted(), ["b", "h"]);
  });

  promise("leases no suspect and none that was tried before", async (scene) => {
    for (const fate of ["lost", "tried"]) {
      await scene.limit(QUEUE, { parallelism: 2 });
      await scene.publish(`${fate}-first`, queued);
      const first = await scene.claimOne({ nodeId: "heir" });
      await scene.publish(fate, queued);
      if (fate === "lost") await scene.lose(fate, SUSPECT_LOSSES);
      else await scene.retry(await scene.claimOne(), 0);
      await scene.limit(QUEUE, { parallelism: 2, paused: true });
      scene.clock.advance(10_000);
      assert.deepEqual(await scene.claimIds(), []);
      assert.equal((await scene.state(fate))?.line, QUEUE);
      await scene.limit(QUEUE, { parallelism: 2 });
      assert.equal(await settled(scene, first), "settled");
      scene.clock.advance(10_000);
      await scene.deliver((await scene.claim())[0] ?? (await scene.claimOne()));
    }
  });

  promise("of several at once each leases another one", async (scene) => {
    await scene.limit(QUEUE, { parallelism: 3 });
    await scene.publishAll(["a", "b", "c", "d", "e", "f", "g"], queued);
    const first = await scene.claim();
    assert.equal(first.length, 3);
    const answers = await Promise.all(first.map((leased) => settled(scene, leased)));
    const next = answers.filter(isNextLeased).map((answer) => answer.next.messageId);
    assert.deepEqual(next, ["d", "e", "f"]);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise(
    "passes one that is canceled beside it, or leaves the queue to a claim",
    async (scene) => {
      await scene.publishAll(["a", "b", "c"], queued);
      const a = await scene.claimOne();
      const [, answer] = await Promise.all([scene.cancel("b"), settled(scene, a)]);
      const leased = isNextLeased(answer) ? [answer.next.messageId] : await scene.claimIds();
      assert.deepEqual(leased, ["c"]);
    },
  );

  promise("leases none of a queue whose limits change beside it", async (scene) => {
    await scene.publishAll(["a", "b"], queued);
    const a = await scene.claimOne();
    const pausing = scene.limit(QUEUE, { parallelism: 1, paused: true });
    await Promise.all([pausing, settled(scene, a)]);
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.state("b"))?.phase, "waiting");
  });
});

/** Delivers a message by a node that has room for the next one, which it returns. */
async function deliver(scene: Scene, leased: LeasedMessage): Promise<LeasedMessage | null> {
  const answer = await settled(scene, leased);
  if (!isNextLeased(answer)) return null;
  const [next] = await scene.store.leased([answer.next]);
  assert.equal(next?.message.messageId, answer.next.messageId);
  return next ?? null;
}

function settled(
  scene: Scene,
  leased: LeasedMessage,
  room: Partial<NextInQueue> = {},
  verdict: Parameters<typeof aSettlement>[1]["verdict"] = { kind: "delivered" },
): Promise<SettleAnswer> {
  const own = { queue: QUEUE, nodeId: "node", leasedAt: scene.now, bytesMax: 1_000 };
  const next = { ...own, host: leased.host, ...room };
  return scene.act({ ...aSettlement(leased, { at: scene.now, verdict }), next });
}
