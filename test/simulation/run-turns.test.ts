import assert from "node:assert/strict";
import { test } from "node:test";

import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { bytes } from "../support/messages.ts";
import { aStart } from "../support/runs.ts";
import { engineThatReplies } from "./replying-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const RUNS = 4;
const STEPS = 60;

test("runs that go on at once leave a slot to those that wait for their host", async () => {
  const time = new SimulatedTime();
  const store = await SqliteStore.open({
    path: ":memory:",
    clock: time.clock(),
    onFatal: (error) => assert.fail(error),
  });
  const steps = new Map<string, number>();
  /** How far the others had come when a run was first delivered. */
  const aheadAtFirst: number[] = [];
  const engine = engineThatReplies(
    store,
    time,
    ({ message }) => {
      const { runId } = message.run!;
      const done = steps.get(runId) ?? 0;
      if (done === 0) aheadAtFirst.push(Math.max(0, ...steps.values()));
      steps.set(runId, done + 1);
      return replyTo(done + 1);
    },
    1,
  );
  for (let run = 0; run < RUNS; run++) await store.act(aStart({ runId: `run-${run}` }));
  await engine.start();
  await time.runUntil(time.now + 5_000);
  assert.deepEqual(
    [...steps.values()],
    Array.from({ length: RUNS }, () => STEPS + 1),
  );
  assert.ok(Math.max(...aheadAtFirst) < STEPS / 2, `${aheadAtFirst.join(", ")} steps ahead`);
});

function replyTo(delivery: number): Uint8Array {
  if (delivery > STEPS) return bytes('{"result":"1"}');
  const step = { stepId: delivery, stepName: "step", stepType: "Run", concurrent: 1 };
  return bytes(JSON.stringify({ steps: [JSON.stringify(step)] }));
}
