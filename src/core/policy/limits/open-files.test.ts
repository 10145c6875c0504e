import assert from "node:assert/strict";
import { test } from "node:test";
import { openFilesNote, shareOpenFiles } from "./open-files.ts";

test("with enough open files the service has all that it can use", () => {
  for (const max of [16_384, 1_048_576, Infinity]) {
    assert.deepEqual(shareOpenFiles(max), { callers: 10_000, deliveries: 2_048 });
    assert.equal(openFilesNote(max), null);
  }
});

test("with fewer, callers and deliveries leave a quarter and the service's own", () => {
  for (let max = 192; max < 16_000; max += 97) {
    const { callers, deliveries } = shareOpenFiles(max);
    assert.ok(callers + deliveries + 64 <= 0.75 * max, `${max}`);
    assert.ok(deliveries >= 8, `${max}`);
    assert.match(openFilesNote(max) ?? "", new RegExp(`at most ${max} files`));
  }
});
