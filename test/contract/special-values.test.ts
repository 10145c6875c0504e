import assert from "node:assert/strict";

import { aCallback, aPublish, bytes } from "../support/messages.ts";
import { contract } from "./scene.ts";

const EMOJI = "📯 Ünïcode ‮ 漢字";
const LONE_SURROGATE = "before \ud83d after";

contract("special values", (promise) => {
  for (const text of [EMOJI, LONE_SURROGATE, "NUL \0 inside", "'; DROP TABLE messages; --"]) {
    promise(`settings are kept as they are: ${JSON.stringify(text)}`, async (scene) => {
      const wish = {
        url: `https://example.test/${text}`,
        labels: [text],
        headers: [["x-header", text]] as [string, string][],
        callback: aCallback({ headers: [["x-header", text]] }),
      };
      await scene.publish("a", wish);
      const leased = await scene.claimOne();
      const { url, settings, headers } = leased.message;
      assert.deepEqual(
        { url, labels: settings.labels, headers },
        { url: wish.url, labels: [text], headers: wish.headers },
      );
      const attempt = { headers: JSON.stringify([["x-answer", text]]), body: bytes(text) };
      await scene.settle(leased, { verdict: { kind: "dead" }, attempt });
      const [letter] = await scene.deadLetters();
      assert.equal(letter?.attempt?.headers, attempt.headers);
      assert.deepEqual(Buffer.from(letter.attempt.body), Buffer.from(attempt.body));
      const callback = await scene.claimOne();
      assert.deepEqual(callback.message.headers.at(-1), ["x-header", text]);
      const page = { after: null, count: 10, order: "earliestFirst" } as const;
      const byLabel = await scene.store.reader.messages.log("account", { labels: [text] }, page);
      assert.ok(byLabel.items.length > 0);
    });
  }

  promise("names of lines and deduplication keys may be of any script", async (scene) => {
    const flowControl = { key: EMOJI, periodMs: 1000 };
    const deduplication = { key: EMOJI, expiresAt: scene.now + 1000 };
    await scene.limit(`k:${EMOJI}`, { parallelism: 1 });
    await scene.act(aPublish(scene.now, scene.item("a", { flowControl }, deduplication)));
    const again = await scene.act(aPublish(scene.now, scene.item("b", {}, deduplication)));
    assert.deepEqual(again, [{ messageId: "a", deduplicated: true }]);
    await scene.publish("c", { flowControl, queueName: EMOJI });
    await scene.deliver(await scene.claimOne());
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });

  promise(
    "a key with a lone surrogate still lets its messages through, one by one",
    async (scene) => {
      const flowControl = { key: LONE_SURROGATE, periodMs: 1000 };
      await scene.limit(`k:${LONE_SURROGATE}`, { parallelism: 1 });
      await scene.publishAll(["a", "b"], { flowControl });
      const first = await scene.claimOne();
      assert.deepEqual(first.message.settings.flowControl, flowControl);
      assert.deepEqual(await scene.claimIds(), []);
      await scene.deliver(first);
      assert.deepEqual(await scene.claimIds(), ["b"]);
    },
  );

  promise("bodies come back byte for byte: empty, every byte, a megabyte", async (scene) => {
    const bodies = new Map([
      ["empty", new Uint8Array()],
      ["every-byte", Uint8Array.from({ length: 256 }, (_, byte) => byte)],
      ["megabyte", Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 31) % 251)],
    ]);
    for (const [id, body] of bodies) await scene.publish(id, { body, callback: aCallback() });
    const leased = await scene.claim();
    assert.equal(leased.length, 3);
    for (const each of leased) {
      const body = bodies.get(each.lease.messageId)!;
      assert.ok(Buffer.from(each.body).equals(body));
      await scene.settle(each, { verdict: { kind: "dead" }, attempt: { body } });
    }
    for (const { deadLetter, body, attempt } of await scene.deadLetters()) {
      const expected = bodies.get(deadLetter.messageId)!;
      assert.ok(Buffer.from(body).equals(expected));
      assert.ok(Buffer.from(attempt!.body).equals(expected));
    }
    for (const { lease, body } of await scene.claim()) {
      const source = bodies.get(lease.messageId.replace("-callback-1", ""))!;
      const report = JSON.parse(Buffer.from(body).toString()) as { sourceBody: string };
      assert.ok(Buffer.from(report.sourceBody, "base64").equals(source));
    }
  });

  promise("a body that is part of a larger buffer is stored alone", async (scene) => {
    const slab = bytes("before[body]after");
    await scene.publish("a", { body: slab.subarray(7, 11) });
    assert.equal(Buffer.from((await scene.claimOne()).body).toString(), "body");
    assert.equal(Buffer.from(slab).toString(), "before[body]after");
  });

  promise("instants far away and numbers past 32 bits are kept exactly", async (scene) => {
    const year9999 = 253_402_300_799_999;
    await scene.publish("a", { notBefore: year9999, createdAt: 0 });
    assert.equal((await scene.state("a"))?.readyAt, year9999);
    assert.equal((await scene.claimed()).nextAt, year9999);
    assert.deepEqual(await scene.claimIds({ now: year9999 }), ["a"]);
  });

  promise(
    "when the clock goes back, what is ready stays ready or becomes it again",
    async (scene) => {
      await scene.publish("a");
      const leased = await scene.claimOne();
      scene.clock.step(-3_600_000);
      assert.equal(await scene.retry(leased, 1_000), "settled");
      await scene.publish("b");
      assert.deepEqual(await scene.claimIds(), ["b"]);
      scene.clock.advance(1_000);
      assert.deepEqual(await scene.claimIds(), ["a"]);
      await scene.takeOver();
      assert.deepEqual((await scene.claimIds()).toSorted(), ["a", "b"]);
    },
  );
});
