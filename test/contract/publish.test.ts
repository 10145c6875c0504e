import assert from "node:assert/strict";

import { aMessage, aPublish, bytes } from "../support/messages.ts";
import { contract } from "./scene.ts";

const KEY = { accountId: "account", messageId: "a" };

contract("publishing", (promise) => {
  promise("what is published is stored whole", async (scene) => {
    const item = scene.item("a", { labels: ["one"], body: bytes("body"), delayMs: 5 });
    const answer = await scene.act(aPublish(scene.now, item));
    assert.deepEqual(answer, [{ messageId: "a", deduplicated: false }]);
    const times = { createdAt: scene.now, notBefore: scene.now + 5 };
    const stored = await scene.store.reader.messages.get(KEY);
    assert.deepEqual(stored?.message, aMessage({ messageId: "a", labels: ["one"], ...times }));
    assert.deepEqual(Buffer.from(stored.body), Buffer.from("body"));
    assert.deepEqual(stored.state, item.message.state);
    assert.equal(stored.lastEntry?.state, "CREATED");
    assert.equal(stored.lastEntry.at, scene.now);
  });

  promise("one act publishes all of its messages or none", async (scene) => {
    await scene.publish("b");
    await assert.rejects(scene.publishAll(["a", "b"]));
    assert.equal(await scene.store.reader.messages.get(KEY), null);
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise(
    "a message published under way is not claimed, and is settled by its lease",
    async (scene) => {
      await scene.publish("a", { leasedBy: "node" });
      assert.deepEqual(await scene.store.reader.upkeep.counts(), { waiting: 0, active: 1 });
      assert.deepEqual(await scene.claimIds(), []);
      assert.deepEqual(await scene.states("a"), ["CREATED", "ACTIVE"]);
      const lease = { ...KEY, fence: 1 };
      const leased = { lease, message: aMessage(KEY), body: bytes(""), host: "", attempts: 0 };
      assert.equal(await scene.deliver(leased), "settled");
      assert.equal(await scene.phase("a"), "DELIVERED");
    },
  );

  promise("publishing an id again is refused and changes nothing", async (scene) => {
    await scene.publish("a", { body: bytes("first") });
    await assert.rejects(scene.publish("a", { body: bytes("second") }));
    const stored = await scene.store.reader.messages.get(KEY);
    assert.deepEqual(Buffer.from(stored?.body ?? []), Buffer.from("first"));
    assert.deepEqual(await scene.states("a"), ["CREATED"]);
  });
});

const forMs = (now: number, ms: number) => ({ key: "same", expiresAt: now + ms });

contract("deduplication", (promise) => {
  promise(
    "the second message with a key is not stored, and the first id is answered",
    async (scene) => {
      const key = forMs(scene.now, 1000);
      await scene.act(aPublish(scene.now, scene.item("a", { body: bytes("first") }, key)));
      const answer = await scene.act(aPublish(scene.now, scene.item("b", {}, key)));
      assert.deepEqual(answer, [{ messageId: "a", deduplicated: true }]);
      assert.equal(await scene.phase("b"), null);
      assert.deepEqual(await scene.claimIds(), ["a"]);
    },
  );

  promise("it holds within one act, and item by item", async (scene) => {
    const key = forMs(scene.now, 1000);
    const items = [scene.item("a", {}, key), scene.item("b"), scene.item("c", {}, key)];
    assert.deepEqual(await scene.act(aPublish(scene.now, ...items)), [
      { messageId: "a", deduplicated: false },
      { messageId: "b", deduplicated: false },
      { messageId: "a", deduplicated: true },
    ]);
    assert.deepEqual((await scene.claimIds()).toSorted(), ["a", "b"]);
  });

  promise("of two publishers at once, one is the first", async (scene) => {
    const key = forMs(scene.now, 1000);
    const acts = ["a", "b", "c"].map((id) =>
      scene.act(aPublish(scene.now, scene.item(id, {}, key))),
    );
    const answers = (await Promise.all(acts)).flat();
    const first = answers.filter(({ deduplicated }) => !deduplicated);
    assert.equal(first.length, 1);
    assert.ok(answers.every(({ messageId }) => messageId === first[0]?.messageId));
    assert.deepEqual(await scene.claimIds(), [first[0]?.messageId]);
  });

  promise("a key stays taken when its message has ended, until it expires", async (scene) => {
    const expiresAt = scene.now + 1000;
    await scene.act(aPublish(scene.now, scene.item("a", {}, { key: "same", expiresAt })));
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(999);
    const again = () =>
      scene.act(
        aPublish(scene.now, scene.item("b", {}, { key: "same", expiresAt: scene.now + 9 })),
      );
    assert.deepEqual(await again(), [{ messageId: "a", deduplicated: true }]);
    scene.clock.advance(1);
    assert.deepEqual(await again(), [{ messageId: "b", deduplicated: false }]);
    assert.deepEqual(
      await scene.act(
        aPublish(scene.now, scene.item("c", {}, { key: "same", expiresAt: scene.now + 9 })),
      ),
      [{ messageId: "b", deduplicated: true }],
    );
  });

  promise("accounts do not share keys", async (scene) => {
    const key = forMs(scene.now, 1000);
    await scene.act(aPublish(scene.now, scene.item("a", {}, key)));
    const other = scene.item("a", { accountId: "other" }, key);
    assert.deepEqual(await scene.act(aPublish(scene.now, other)), [
      { messageId: "a", deduplicated: false },
    ]);
  });

  promise("an act that fails takes no key", async (scene) => {
    const key = forMs(scene.now, 1000);
    await scene.publish("a");
    await assert.rejects(scene.act(aPublish(scene.now, scene.item("b", {}, key), scene.item("a"))));
    const answer = await scene.act(aPublish(scene.now, scene.item("c", {}, key)));
    assert.deepEqual(answer, [{ messageId: "c", deduplicated: false }]);
  });
});
