import assert from "node:assert/strict";
import { test } from "node:test";
import { ChunkCount } from "./chunk-count.ts";

const LIMITS = { countFree: 10, meanBytesMin: 4 };

function counted(...sizes: readonly number[]): ChunkCount {
  const chunks = new ChunkCount(LIMITS);
  for (const size of sizes) chunks.add(size);
  return chunks;
}

test("a few chunks may be of any size", () => {
  assert.equal(counted(...Array<number>(10).fill(1)).areTiny, false);
  assert.equal(counted(...Array<number>(11).fill(1)).areTiny, true);
});

test("many chunks may not be small on average", () => {
  assert.equal(counted(...Array<number>(11).fill(4)).areTiny, false);
  assert.equal(counted(...Array<number>(10).fill(4), 3).areTiny, true);
  assert.equal(counted(100, ...Array<number>(10).fill(1)).areTiny, false);
});
