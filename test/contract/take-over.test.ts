import assert from "node:assert/strict";
import { POISON_LOSSES, SUSPECT_LOSSES } from "../../src/core/model/message/message.ts";
import { PIECES_PROGRAM } from "../../src/store/schema.ts";
import { NO_FACTS } from "../../src/store/node-facts.ts";
import { contract, idsOf } from "./scene.ts";

contract("taking over", (promise) => {
  promise("leases of a node that is gone wait again, with no retry used up", async (scene) => {
    await scene.publishAll(["a", "b"]);
    await scene.retry((await scene.claim({ slots: 1 }))[0]!, 0);
    await scene.claim({ nodeId: "gone" });
    await scene.publish("mine");
    await scene.claim({ nodeId: "heir" });
    scene.clock.advance(50);
    assert.deepEqual(await scene.takeOver(), { waiting: 2, canceled: 0, poison: [] });
    const state = await scene.state("a");
    assert.deepEqual([state?.phase, state?.attempts, state?.losses], ["waiting", 1, 1]);
    assert.deepEqual([state?.nodeId, state?.leasedAt, state?.readyAt], [null, null, scene.now]);
    assert.equal((await scene.state("mine"))?.nodeId, "heir");
    const again = await scene.claim();
    assert.deepEqual(idsOf(again).toSorted(), ["a", "b"]);
    const attempts = again.map((each) => `${each.lease.messageId} ${each.attempts}`);
    assert.deepEqual(attempts.toSorted(), ["a 1", "b 0"]);
  });

  promise("only the nodes that are named lose their leases", async (scene) => {
    await scene.publish("a", { leasedBy: "gone" });
    await scene.publish("b", { leasedBy: "alive" });
    const from = [{ nodeId: "gone", beats: 0 }];
    assert.deepEqual(await scene.takeOver({ from }), { waiting: 1, canceled: 0, poison: [] });
    assert.equal(await scene.phase("b"), "active");
  });

  promise("many leases are taken over at once", async (scene) => {
    const ids = Array.from({ length: 1_203 }, (_, index) => `message-${index}`);
    await scene.publishAll(ids, { leasedBy: "gone" });
    assert.equal((await scene.takeOver()).waiting, ids.length);
    assert.deepEqual(await scene.store.reader.upkeep.counts(), { waiting: ids.length, active: 0 });
  });

  promise(
    "a message canceled while under way is canceled when its lease is lost",
    async (scene) => {
      await scene.publishAll(["a", "b"]);
      await scene.claim();
      await scene.cancel("a");
      assert.deepEqual(await scene.takeOver(), { waiting: 1, canceled: 1, poison: [] });
      assert.deepEqual(await scene.states("a"), [
        "CREATED",
        "ACTIVE",
        "CANCEL_REQUESTED",
        "CANCELED",
      ]);
      assert.deepEqual(await scene.claimIds(), ["b"]);
    },
  );

  promise("suspects run one at a time, beside everything else", async (scene) => {
    await scene.publishAll(["s1", "s2"]);
    for (let loss = 0; loss < SUSPECT_LOSSES; loss++) {
      assert.deepEqual((await scene.claimIds()).toSorted(), ["s1", "s2"]);
      await scene.takeOver();
    }
    await scene.publishAll(["a", "b"]);
    const leased = await scene.claim();
    const suspects = leased.filter(({ lease }) => lease.messageId.startsWith("s"));
    assert.equal(suspects.length, 1);
    assert.equal(leased.length, 3);
    scene.clock.advance(1_000);
    const waiting = await scene.claimed({ nodeId: "another" });
    assert.deepEqual(waiting.leased, []);
    assert.ok(waiting.nextAt !== null);
    await scene.deliver(suspects[0]!);
    scene.clock.advance(1_000);
    const next = await scene.claimOne();
    assert.ok(next.lease.messageId.startsWith("s"));
    await scene.deliver(next);
    assert.deepEqual(await scene.store.reader.upkeep.counts(), { waiting: 0, active: 2 });
  });

  promise("a hand-back makes no suspect", async (scene) => {
    await scene.publish("a");
    for (let turn = 0; turn < POISON_LOSSES + 1; turn++) {
      await scene.handBack(await scene.claimOne());
    }
    assert.equal((await scene.state("a"))?.losses, 0);
  });

  promise("a message lost too often is leased to be buried", async (scene) => {
    await scene.publish("a");
    await scene.lose("a", POISON_LOSSES - 1);
    assert.equal((await scene.state("a"))?.losses, POISON_LOSSES - 1);
    const last = await scene.claimOne();
    const { waiting, poison } = await scene.takeOver({ nodeId: "heir" });
    assert.deepEqual([waiting, idsOf(poison)], [0, ["a"]]);
    const found = poison[0]!;
    assert.equal(found.message.messageId, "a");
    assert.equal(found.attempts, 0);
    assert.equal((await scene.state("a"))?.nodeId, "heir");
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal(await scene.deliver(last), "stale");
    assert.equal(await scene.kill(found), "settled");
    assert.equal(await scene.phase("a"), "FAILED");
    assert.equal((await scene.deadLetters()).length, 1);
  });

  promise("an heir that dies before it buries the poison is inherited itself", async (scene) => {
    await scene.publish("a");
    await scene.lose("a", POISON_LOSSES - 1);
    await scene.claimOne();
    await scene.takeOver({ nodeId: "heir" });
    const { poison } = await scene.takeOver({ nodeId: "next" });
    assert.equal(await scene.kill(poison[0]!), "settled");
  });
});

contract("nodes", (promise) => {
  promise("each beat is counted, and all nodes are told", async (scene) => {
    const first = await scene.store.beat("one");
    assert.deepEqual(first.nodes, [{ nodeId: "one", beats: 1, name: "" }]);
    assert.equal(first.known, true);
    assert.equal(first.oldestProgram, PIECES_PROGRAM - 1);
    await scene.store.beat("two", false, { ...NO_FACTS, name: "host-2" });
    const { nodes } = await scene.store.beat("two", false, { ...NO_FACTS, name: "host-2" });
    assert.deepEqual(
      nodes.toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1)),
      [
        { nodeId: "one", beats: 1, name: "" },
        { nodeId: "two", beats: 2, name: "host-2" },
      ],
    );
  });

  promise("a node that has beaten since it was last seen is not dead", async (scene) => {
    await scene.store.beat("one");
    await scene.store.beat("one");
    await scene.publish("a", { leasedBy: "one" });
    assert.equal((await scene.takeOver({ from: [{ nodeId: "one", beats: 1 }] })).waiting, 0);
    assert.equal(await scene.phase("a"), "active");
    assert.equal((await scene.takeOver({ from: [{ nodeId: "one", beats: 2 }] })).waiting, 1);
  });

  promise("a node that was declared dead is told so", async (scene) => {
    await scene.store.beat("heir");
    await scene.store.beat("one");
    await scene.takeOver({ from: [{ nodeId: "one", beats: 1 }] });
    const beat = await scene.store.beat("one");
    assert.equal(beat.known, false);
    assert.deepEqual(
      beat.nodes.map(({ nodeId }) => nodeId),
      ["heir"],
    );
  });

  promise("when it is known to be alone, a node forgets the others", async (scene) => {
    await scene.store.beat("gone");
    await scene.store.beat("heir");
    await scene.takeOver({ from: "others" });
    const { nodes } = await scene.store.beat("heir");
    assert.deepEqual(nodes, [{ nodeId: "heir", beats: 2, name: "" }]);
  });

  promise("a node that leaves is no longer listed", async (scene) => {
    await scene.store.beat("stays");
    await scene.store.beat("leaves");
    await scene.publish("a", { leasedBy: "stays" });
    await scene.store.leave("leaves");
    const { nodes } = await scene.store.beat("stays");
    assert.deepEqual(idsOfNodes(nodes), ["stays"]);
    assert.deepEqual(idsOfNodes(await scene.store.reader.service.nodes()), ["stays"]);
  });

  promise("a node that leaves a lease behind is taken over by its name", async (scene) => {
    await scene.store.beat("leaves", false, { ...NO_FACTS, name: "host-1" });
    await scene.publish("a", { leasedBy: "leaves" });
    await scene.store.leave("leaves");
    const { nodes } = await scene.store.beat("stays");
    const left = nodes.filter(({ nodeId }) => nodeId === "leaves");
    assert.deepEqual(left, [{ nodeId: "leaves", beats: 1, name: "host-1" }]);
    assert.equal((await scene.takeOver({ nodeId: "stays", from: left })).waiting, 1);
  });
});

function idsOfNodes(nodes: readonly { readonly nodeId: string }[]): string[] {
  return nodes.map(({ nodeId }) => nodeId);
}
