/** A message knows the callbacks that were made for it. */
import assert from "node:assert/strict";

import { aCallback } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

contract("callbacks of a message", (promise) => {
  promise("each attempt and the failure leave a callback", async (scene) => {
    await scene.publish("source", { callback: aCallback(), failureCallback: aCallback() });
    await scene.publish("other", { callback: aCallback() });
    const leased = await scene.claim();
    const source = leased.find(({ lease }) => lease.messageId === "source")!;
    await scene.deliver(leased.find(({ lease }) => lease.messageId === "other")!);
    await scene.retry(source, 1_000);
    scene.clock.advance(1_000);
    const second = (await scene.claim()).find(({ lease }) => lease.messageId === "source")!;
    await scene.kill(second);
    assert.deepEqual(await kindsOf(scene, "source"), ["callback", "callback", "failure-callback"]);
    assert.deepEqual(await kindsOf(scene, "other"), ["callback"]);
    assert.deepEqual(await kindsOf(scene, "gone"), []);
  });

  promise("no more are read than asked for, and they are the newest", async (scene) => {
    const ids = ["1", "2", "3", "4"];
    for (const id of ids) await scene.publish(id, { sourceId: "source" });
    const read = await scene.store.reader.messages.callbacks(keyOf("source"), 3);
    assert.deepEqual(
      read.map(({ messageId }) => messageId),
      ["4", "3", "2"],
    );
  });

  promise("they leave with their own age", async (scene) => {
    await scene.publish("callback", { sourceId: "source" });
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(1_000);
    await scene.sweepAccount();
    assert.deepEqual(await kindsOf(scene, "source"), []);
  });
});

async function kindsOf(scene: Scene, messageId: string): Promise<string[]> {
  const read = await scene.store.reader.messages.callbacks(keyOf(messageId), 100);
  return read.map(({ kind }) => kind).toSorted();
}

function keyOf(messageId: string): { accountId: string; messageId: string } {
  return { accountId: "account", messageId };
}
