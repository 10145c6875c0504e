import assert from "node:assert/strict";
import { anEnd, aStart } from "../support/runs.ts";
import { contract } from "./scene.ts";

contract("counts of runs", (promise) => {
  promise("phases are counted among the newest", async (scene) => {
    const { runs } = scene.store.reader;
    const none = { started: 0, success: 0, failed: 0, canceled: 0 };
    assert.deepEqual(await runs.counts("account", 10), none);
    for (const [nth, phase] of (["success", "canceled", "success", null] as const).entries()) {
      const requested = { ...aStart().requested, messageId: `m${nth}` };
      await scene.act(aStart({}, { requested }));
      if (phase !== null) await scene.act(anEnd(scene.now, phase));
      scene.clock.advance(1_000);
    }
    assert.deepEqual(await runs.counts("account", 10), {
      ...none,
      started: 1,
      success: 2,
      canceled: 1,
    });
    assert.deepEqual(await runs.counts("account", 2), { ...none, started: 1, success: 1 });
    assert.deepEqual(await runs.counts("other", 10), none);
  });
});
