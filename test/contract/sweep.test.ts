import assert from "node:assert/strict";

import type { AccountSweepRequest } from "../../src/store/store.ts";
import { aPublish } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

contract("sweeping", (promise) => {
  promise(
    "what has ended long ago goes, with its log; what lives or is dead stays",
    async (scene) => {
      const dead = await scene.bury("dead");
      await scene.publish("delivered");
      await scene.deliver(await scene.claimOne());
      await scene.publish("active", { leasedBy: "node" });
      await scene.publish("waiting", { delayMs: 1_000_000 });
      scene.clock.advance(1_000);
      await scene.publish("young");
      await scene.deliver(await scene.claimOne());
      await sweep(scene, { endedBefore: scene.now, deadLettersBefore: scene.now - 1_000 });
      assert.equal(await scene.store.reader.messages.get(key("delivered")), null);
      assert.deepEqual(await scene.states("delivered"), []);
      for (const id of ["dead", "active", "waiting", "young"]) {
        assert.notEqual(await scene.store.reader.messages.get(key(id)), null, id);
        assert.ok((await scene.states(id)).length > 0, id);
      }
      assert.equal((await scene.store.reader.deadLetters.get(dead))?.attempt?.number, 1);
    },
  );

  promise("old dead letters go, and then their messages", async (scene) => {
    await scene.bury("old");
    scene.clock.advance(1);
    await scene.bury("young");
    await sweep(scene, { endedBefore: scene.now, deadLettersBefore: scene.now });
    const ids = (await scene.deadLetters()).map(({ deadLetter }) => deadLetter.messageId);
    assert.deepEqual(ids, ["young"]);
    assert.equal(await scene.store.reader.messages.get(key("old")), null);
    assert.equal(await scene.phase("young"), "FAILED");
  });

  promise("deduplication keys go when they expire, not before", async (scene) => {
    const publish = (id: string) => {
      const deduplication = { key: "same", expiresAt: scene.now + 1_000 };
      return scene.act(aPublish(scene.now, scene.item(id, {}, deduplication)));
    };
    await publish("a");
    scene.clock.advance(999);
    assert.equal(await sweep(scene), 0);
    assert.equal((await publish("b"))[0]?.deduplicated, true);
    scene.clock.advance(1);
    assert.equal(await sweep(scene), 1);
    assert.equal((await publish("c"))[0]?.deduplicated, false);
  });

  promise("a page has a bound, and says when there is more", async (scene) => {
    const ids = Array.from({ length: 25 }, (_, index) => `message-${index}`);
    await scene.publishAll(ids);
    for (const leased of await scene.claim()) await scene.deliver(leased);
    await scene.publish("alive", { delayMs: 1_000_000 });
    scene.clock.advance(1);
    let removed = 0;
    let kept = 0;
    for (let after: string | null = ""; after !== null;) {
      const page = await scene.sweepAccount({ after, pageMax: 10 });
      assert.ok(page.removed <= 10);
      removed += page.removed;
      kept += page.kept;
      ({ after } = page);
    }
    assert.deepEqual([removed, kept], [ids.length, 1]);
    assert.equal(await scene.phase("alive"), "waiting");
  });

  promise("what was passed by is removed once it has ended", async (scene) => {
    await scene.publishAll(["a", "b"]);
    const leased = await scene.claim();
    scene.clock.advance(1);
    assert.equal(await sweep(scene), 0);
    for (const each of leased) await scene.deliver(each);
    scene.clock.advance(1);
    assert.equal(await sweep(scene), 2);
  });

  promise("a message that was made long ago stays for its time after its end", async (scene) => {
    await scene.publish("late", { delayMs: 1_000 });
    scene.clock.advance(1_000);
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(500);
    assert.equal(await sweep(scene, { endedBefore: scene.now - 500 }), 0);
    assert.equal(await scene.phase("late"), "DELIVERED");
    assert.equal(await sweep(scene, { endedBefore: scene.now - 499 }), 1);
    assert.equal(await scene.phase("late"), null);
  });

  promise("an old message goes though one before it has ended lately", async (scene) => {
    await scene.publish("a");
    const leased = await scene.claimOne();
    scene.clock.advance(10_000);
    await scene.deliver(leased);
    scene.clock.step(-5_000);
    await scene.publish("b");
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(1);
    assert.equal(await sweep(scene), 1);
    assert.equal(await scene.phase("a"), "DELIVERED");
    assert.equal(await scene.store.reader.messages.get(key("b")), null);
  });

  promise("only what belongs to the account is swept", async (scene) => {
    await scene.publish("mine");
    await scene.publish("theirs", { accountId: "neighbour" });
    for (const leased of await scene.claim()) await scene.kill(leased);
    scene.clock.advance(1);
    const surplusBefore = { accountId: "account", diedAt: scene.now, number: 0 };
    assert.equal(await sweep(scene, { deadLettersBefore: scene.now, surplusBefore }), 2);
    assert.equal(await scene.phase("mine"), null);
    assert.equal(await scene.phase("theirs", "neighbour"), "FAILED");
    assert.equal((await scene.deadLetters("neighbour")).length, 1);
  });

  promise("the attempt of a late settlement is refused with its message", async (scene) => {
    await scene.publish("a");
    const leased = await scene.claimOne();
    await scene.takeOver();
    await scene.cancel("a");
    scene.clock.advance(1);
    await sweep(scene);
    assert.equal(await scene.deliver(leased), "stale");
    assert.equal(await scene.store.reader.messages.get(key("a")), null);
  });
});

/** Sweeps until nothing is left to look at, and answers how much went. */
async function sweep(scene: Scene, request: Partial<AccountSweepRequest> = {}): Promise<number> {
  const { now } = scene;
  let { removed } = await scene.store.sweep({ now, countsBefore: 0, keysBefore: 0, pageMax: 100 });
  for (let after: string | null = ""; after !== null;) {
    const swept = await scene.sweepAccount({ ...request, after });
    removed += swept.removed + swept.dropped;
    ({ after } = swept);
  }
  return removed;
}

function key(messageId: string): { accountId: string; messageId: string } {
  return { accountId: "account", messageId };
}
