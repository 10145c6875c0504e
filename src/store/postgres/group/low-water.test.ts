import assert from "node:assert/strict";
import { test } from "node:test";

import { LowWater } from "./low-water.ts";

test("a line that serves little is always looked at whole", () => {
  const low = new LowWater();
  low.note("line", 5_000, 199, 10_000);
  assert.equal(low.from("line", 10_000), 0);
});

test("one that serves much is looked at from its first live entry", () => {
  const low = new LowWater();
  low.note("line", 5_000, 150, 10_000);
  low.note("line", 7_000, 150, 10_100);
  assert.equal(low.from("line", 10_200), 7_000);
  assert.equal(low.from("another", 10_200), 0);
});

test("once a second it is looked at whole, and when the clock has gone back", () => {
  const low = new LowWater();
  low.note("line", 5_000, 300, 10_000);
  assert.equal(low.from("line", 10_999), 5_000);
  assert.equal(low.from("line", 11_000), 0);
  assert.equal(low.from("line", 9_999), 0);
});

test("what is committed a little late is looked at", () => {
  const low = new LowWater();
  low.note("line", 12_000, 300, 10_000);
  assert.equal(low.from("line", 10_000), 8_000);
});

test("a line that was empty is looked at from where it was before", () => {
  const low = new LowWater();
  low.note("line", 5_000, 300, 10_000);
  low.note("line", null, 10, 10_100);
  assert.equal(low.from("line", 10_100), 5_000);
});
