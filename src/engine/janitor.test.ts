import assert from "node:assert/strict";
import { test } from "node:test";

import type { Store, SweepRequest } from "../store/store.ts";
import type { EngineOptions } from "./engine-options.ts";
import { Janitor } from "./janitor.ts";

const NOW = 1_000_000_000;
const DAY_MS = 86_400_000;

async function sweptBefore(usedBytes: number | null): Promise<number> {
  const asked: SweepRequest[] = [];
  const store = {
    reader: { size: () => Promise.resolve({ usedBytes }) },
    sweep: (request: SweepRequest) => {
      asked.push(request);
      return Promise.resolve({ removed: 0, more: false });
    },
  } as unknown as Store;
  const limits = { logRetentionMs: DAY_MS, deadLetterRetentionMs: DAY_MS, logBytesMax: 1_000 };
  const clock = { now: () => NOW };
  await new Janitor({ store, clock, limits } as unknown as EngineOptions).runOnce();
  return NOW - (asked[0]?.endedBefore ?? 0);
}

test("what has ended stays for its time while there is room", async () => {
  assert.equal(await sweptBefore(1_000), DAY_MS);
  assert.equal(await sweptBefore(null), DAY_MS);
});

test("with too little room it goes before its time, but not at once", async () => {
  assert.equal(await sweptBefore(1_001), 10 * 60_000);
});
