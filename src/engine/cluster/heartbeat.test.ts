import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { LostNodes } from "./heartbeat.ts";

const MINUTE_MS = 60_000;

test("a lost node is shown for a quarter of an hour", () => {
  const clock = new ManualClock();
  const lost = new LostNodes(clock);
  const [first, second] = ["host-1", "host-2"].map((name) => ({ nodeId: name, name, beats: 1 }));
  lost.add([first!]);
  clock.advance(MINUTE_MS);
  lost.add([second!]);
  clock.advance(14 * MINUTE_MS);
  assert.deepEqual(lost.recent(), [first, second]);
  clock.advance(1);
  assert.deepEqual(lost.recent(), [second]);
  clock.advance(MINUTE_MS);
  assert.deepEqual(lost.recent(), []);
});

test("however many nodes are lost, the latest hundred are shown", () => {
  const lost = new LostNodes(new ManualClock());
  const nodes = Array.from({ length: 150 }, (_, index) => String(index));
  for (const name of nodes) lost.add([{ nodeId: name, name, beats: 1 }]);
  assert.deepEqual(
    lost.recent().map(({ name }) => name),
    nodes.slice(50),
  );
});
