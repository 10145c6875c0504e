import assert from "node:assert/strict";

import type { DeadLetterKey } from "../../src/core/model/message/dead-letter.ts";
import { aCallback } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

const remove = (scene: Scene, ...keys: DeadLetterKey[]) =>
  scene.act({ rule: "remove-dead-letters", keys });
const retry = (scene: Scene, key: DeadLetterKey, messageId: string) =>
  scene.act({
    rule: "retry-dead-letter",
    at: scene.now,
    key,
    message: scene.item(messageId).message,
  });

contract("dead letters", (promise) => {
  promise("removing answers those that were there", async (scene) => {
    const first = await scene.bury("a");
    const second = await scene.bury("b");
    const answer = await remove(scene, keyOf(first), keyOf(first), {
      ...keyOf(first),
      number: 999,
    });
    assert.deepEqual(answer, [keyOf(first)]);
    assert.deepEqual(await remove(scene, keyOf(first)), []);
    assert.equal(await scene.store.reader.deadLetters.get(first), null);
    assert.equal((await scene.store.reader.deadLetters.get(second))?.deadLetter.messageId, "b");
    assert.deepEqual(
      (await scene.deadLetters()).map(({ message }) => message.messageId),
      ["b"],
    );
  });

  promise("a retry trades the letter for a new message, once", async (scene) => {
    const key = keyOf(await scene.bury("a"));
    assert.deepEqual(await retry(scene, key, "b"), { messageId: "b", deduplicated: false });
    assert.deepEqual(await scene.deadLetters(), []);
    assert.equal(await retry(scene, key, "c"), null);
    assert.equal(await scene.phase("c"), null);
    assert.equal(await scene.phase("a"), "FAILED");
    assert.deepEqual(await scene.claimIds(), ["b"]);
  });

  promise("of two retries at once, one makes the message", async (scene) => {
    const key = keyOf(await scene.bury("a"));
    const answers = await Promise.all(["b", "c", "d"].map((id) => retry(scene, key, id)));
    assert.equal(answers.filter((answer) => answer !== null).length, 1);
    assert.equal((await scene.claimIds()).length, 1);
  });

  promise("a retry whose message cannot be stored leaves the letter", async (scene) => {
    const key = keyOf(await scene.bury("a"));
    await assert.rejects(retry(scene, key, "a"));
    assert.equal((await scene.deadLetters()).length, 1);
    assert.deepEqual(await retry(scene, key, "b"), { messageId: "b", deduplicated: false });
  });

  promise("a message that dies again is another letter", async (scene) => {
    const first = keyOf(await scene.bury("a"));
    await retry(scene, first, "b");
    await scene.kill(await scene.claimOne());
    const [letter, ...others] = await scene.deadLetters();
    assert.deepEqual(others, []);
    assert.equal(letter?.deadLetter.messageId, "b");
    assert.notDeepEqual(keyOf(letter.deadLetter), first);
  });

  promise("a failed callback is a dead letter too", async (scene) => {
    await scene.publish("a", { callback: aCallback(), failureCallback: aCallback() });
    await scene.kill(await scene.claimOne());
    for (const leased of await scene.claim()) await scene.kill(leased);
    const ids = (await scene.deadLetters()).map(({ deadLetter }) => deadLetter.messageId);
    assert.deepEqual(ids.toSorted(), ["a", "a-callback-1", "a-failure"]);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("groups are of the newest dead letters, by status and cause", async (scene) => {
    const { deadLetters } = scene.store.reader;
    const died = async (messageId: string, body: string, more: object = {}): Promise<void> => {
      await scene.publish(messageId);
      const attempt = { body: Buffer.from(body), ...more };
      await scene.settle(await scene.claimOne(), { verdict: { kind: "dead" }, attempt });
      scene.clock.advance(1_000);
    };
    await died("a", '{"error":"Oldest","message":"gone"}');
    await died("b", '{"error":"Declined","message":"card of order 7"}');
    await died("c", '{"error":"Declined","message":"card of order 1234"}');
    await died("d", '{"error":"Declined","message":"card of order 5"}', { status: 402 });
    await died("e", "", { status: 0, error: "no answer in 30s" });
    await died("f", "", { status: 0, error: "no answer in 60s" });
    await died("g", "", { status: 0, error: "no answer in 60s" });
    const shown = async (newestMax: number): Promise<unknown[]> =>
      (await deadLetters.groups("account", newestMax)).map(({ status, cause, error, count }) => [
        status,
        cause,
        error,
        count,
      ]);
    assert.deepEqual(await shown(6), [
      [0, "no answer in <n>s", null, 3],
      [500, "Declined: card of order <n>", null, 2],
      [402, "Declined: card of order <n>", null, 1],
    ]);
    assert.deepEqual(await shown(2), [[0, "no answer in <n>s", "no answer in 60s", 2]]);
    assert.equal((await shown(7)).length, 4);
    const [host, ...none] = await deadLetters.hosts("account", 6);
    assert.deepEqual([host?.count, host?.attempts, none], [6, 6, []]);
    assert.equal(
      host?.hours.reduce((sum, { count }) => sum + count, 0),
      6,
    );
    const page = { after: null, count: 100, order: "latestFirst" } as const;
    const filter = { statuses: [500], causes: ["Declined: card of order <n>"] };
    const { items } = await deadLetters.list("account", filter, page);
    assert.deepEqual(
      items.map(({ message }) => message.messageId),
      ["c", "b"],
    );
  });

  promise("one account neither sees nor removes another's", async (scene) => {
    const letter = await scene.bury("a", { accountId: "other" });
    const mine = { ...keyOf(letter), accountId: "account" };
    assert.equal(await scene.store.reader.deadLetters.get(mine), null);
    assert.deepEqual(await remove(scene, mine), []);
    assert.equal(await retry(scene, mine, "b"), null);
    assert.deepEqual(await scene.deadLetters("account"), []);
    assert.equal((await scene.deadLetters("other")).length, 1);
  });
});

function keyOf({ accountId, diedAt, number }: DeadLetterKey): DeadLetterKey {
  return { accountId, diedAt, number };
}
