import assert from "node:assert/strict";
import { test } from "node:test";
import { NODE_SILENT_MS_MAX } from "../../store/node-facts.ts";
import type { Store } from "../../store/store.ts";
import { listNodes, pauseService, resumeService } from "./service.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";

test("a node is live until it has been silent for too long, by the clock of the store", async () => {
  const now = 1_000_000;
  const renewedAt = [now, now - NODE_SILENT_MS_MAX + 1, now - NODE_SILENT_MS_MAX, now + 5_000];
  const nodes = () => Promise.resolve(renewedAt.map((at) => ({ renewedAt: at })));
  const store = { clock: { due: () => now }, reader: { service: { nodes } } } as unknown as Store;
  assert.deepEqual(
    (await listNodes(store)).map(({ silentMs, isLive }) => [silentMs, isLive]),
    [
      [0, true],
      [NODE_SILENT_MS_MAX - 1, true],
      [NODE_SILENT_MS_MAX, false],
      [0, true],
    ],
  );
});

interface Node {
  readonly name: string;
  readonly nodeId: string;
  readonly renewedAt: number;
  readonly isPaused: boolean;
}

const NOW = 1_000_000;
const node = (nodeId: string, isPaused: boolean, silentMs = 0): Node => ({
  name: "",
  nodeId,
  renewedAt: NOW - silentMs,
  isPaused,
});

/** Nodes as they are at each look; the last look lasts. */
function service(...looks: readonly (readonly Node[])[]) {
  const acts: unknown[] = [];
  let looked = 0;
  const nodes = () => Promise.resolve(looks[Math.min(looked++, looks.length - 1)]);
  const store = {
    clock: { due: () => NOW },
    reader: { service: { nodes } },
    act: (given: unknown) => Promise.resolve(void acts.push(given)),
  } as unknown as Store;
  const clock = new ManualClock();
  const slept: number[] = [];
  clock.sleep = (ms) => {
    slept.push(ms);
    clock.advance(ms);
    return Promise.resolve();
  };
  return { store, clock, acts, slept };
}

test("a pause is over when each live node has confirmed it", async () => {
  const paused = service([node("a", true), node("b", false)], [node("a", true), node("b", true)]);
  assert.deepEqual(await pauseService(paused), { paused: ["a", "b"], pending: [] });
  assert.deepEqual(paused.acts, [{ rule: "pause-service", isPaused: true }]);
  assert.deepEqual(paused.slept, [100]);
});

test("a node that is gone is not waited for", async () => {
  const { slept, ...paused } = service([node("a", true), node("b", false, NODE_SILENT_MS_MAX)]);
  assert.deepEqual(await pauseService(paused), { paused: ["a"], pending: [] });
  assert.deepEqual(slept, []);
});

test("a node that does not confirm is named after 25 seconds", async () => {
  const { slept, ...paused } = service([node("a", true), { ...node("b", false), name: "host" }]);
  assert.deepEqual(await pauseService(paused), { paused: ["a"], pending: ["host (b)"] });
  assert.equal(slept.length, 250);
  assert.equal(paused.clock.monotonic(), 25_000);
});

test("going on is one act, and waits for no node", async () => {
  const { store, acts } = service([node("a", true)]);
  await resumeService({ store });
  assert.deepEqual(acts, [{ rule: "pause-service", isPaused: false }]);
});
