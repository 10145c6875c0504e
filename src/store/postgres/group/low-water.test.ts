import assert from "node:assert/strict";
import { test } from "node:test";

import { LowWater } from "./low-water.ts";

test("a line with few leased messages is always read from its start", () => {
  const low = new LowWater();
  low.note("line", 5_000, 199, 10_000);
  assert.equal(low.from("line", 10_000), 0);
});

test("a line with many leased messages is read from its first live entry", () => {
  const low = new LowWater();
  low.note("line", 5_000, 150, 10_000);
  low.note("line", 7_000, 150, 10_100);
  assert.equal(low.from("line", 10_200), 7_000);
  assert.equal(low.from("another", 10_200), 0);
});

test("a line is read from its start once a second, and when the clock was set back", () => {
  const low = new LowWater();
  low.note("line", 5_000, 300, 10_000);
  assert.equal(low.from("line", 10_999), 5_000);
  assert.equal(low.from("line", 11_000), 0);
  assert.equal(low.from("line", 9_999), 0);
});

test("a row that was committed a little late is read", () => {
  const low = new LowWater();
  low.note("line", 12_000, 300, 10_000);
  assert.equal(low.from("line", 10_000), 8_000);
});

test("a line that was empty is read from its last first entry", () => {
  const low = new LowWater();
  low.note("line", 5_000, 300, 10_000);
  low.note("line", null, 10, 10_100);
  assert.equal(low.from("line", 10_100), 5_000);
});
