import assert from "node:assert/strict";
import { test } from "node:test";
import { Flags } from "./flags.ts";

const NOW = 1_700_000_000_000;
const instant = (since: string) => new Flags({ since }).instant("since", NOW);

test("a time is how long ago, a date, or unix milliseconds", () => {
  assert.equal(instant("1h"), NOW - 3_600_000);
  assert.equal(instant("2026-01-31T09:00Z"), Date.UTC(2026, 0, 31, 9));
  assert.equal(instant("2026-01-31"), Date.UTC(2026, 0, 31));
  assert.equal(instant(String(NOW)), NOW);
});

test("a number that is no time is refused, and so is text that only ends like a date", () => {
  for (const text of ["10", "0", "2026", "1700000000", "x 10", "1h30m", "2026-99-99", ""]) {
    assert.throws(() => instant(text), /--since must be a time/, text);
  }
});
