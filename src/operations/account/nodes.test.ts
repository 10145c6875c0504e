import assert from "node:assert/strict";
import { test } from "node:test";
import { NODE_SILENT_MS_MAX } from "../../store/node-facts.ts";
import type { Store } from "../../store/store.ts";
import { listNodes } from "./nodes.ts";

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
