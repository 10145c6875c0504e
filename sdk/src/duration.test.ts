import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText, millisecondsOf } from "./duration.ts";

test("numbers are seconds, texts are sums of units", () => {
  assert.equal(millisecondsOf(90), 90_000);
  assert.equal(millisecondsOf(0.05), 50);
  assert.equal(millisecondsOf("1d12h"), 129_600_000);
  assert.equal(millisecondsOf("2m5s"), 125_000);
  assert.equal(durationText(90), "90s");
  assert.equal(durationText("1d12h"), "1d12h");
});

test("what is none of them is refused", () => {
  for (const duration of ["", "soon", "5", "1m1h", "1h 5m", -1, NaN]) {
    assert.throws(() => millisecondsOf(duration), /is no duration/, String(duration));
  }
});
