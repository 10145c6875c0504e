import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Problem } from "../../problem.ts";
import { DURATION_MS_MAX, parseDuration, parseFraction } from "./duration.ts";

test("durations are read in days, hours, minutes and seconds", () => {
  assert.equal(parseDuration("30s"), 30_000);
  assert.equal(parseDuration("1d1h30m"), 91_800_000);
  assert.equal(parseDuration("1d10h30m5s"), 124_205_000);
  assert.equal(parseDuration("0s"), 0);
  assert.equal(parseDuration("007m"), 420_000);
});

test("a bare number is seconds", () => {
  assert.equal(parseDuration("30"), 30_000);
});

test("anything else is refused", () => {
  const refused = ["", " ", "s", "1x", "1h1h", "1m1h", "1h30", "-1s", "+1s", "1.5s", "1 s", "1S"];
  for (const text of [...refused, "٣s", "9".repeat(33), "9".repeat(31) + "d", "36501d", "1e3"]) {
    assert.throws(() => parseDuration(text), Problem, text);
  }
});

test("a duration is at most a hundred years of 365 days, and 32 characters", () => {
  assert.equal(parseDuration("36500d"), DURATION_MS_MAX);
  assert.equal(DURATION_MS_MAX, 3_153_600_000_000);
  assert.throws(() => parseDuration("36500d1s"), /longer than 100 years/);
  assert.equal(parseDuration("7s".padStart(32, "0")), 7_000);
  assert.throws(() => parseDuration("7s".padStart(33, "0")), /longer than 32 characters/);
  assert.throws(() => parseDuration(""), /is empty/);
});

test("a fraction has digits on both sides of its dot, and seconds without a unit", () => {
  const examples: [string, number | null][] = [
    ["1.5s", 1_500],
    ["1.5", 1_500],
    ["0.5m", 30_000],
    ["1.5h", 5_400_000],
    ["0.25d", 21_600_000],
    ["0.0004s", 0],
    ["0.0005s", 1],
    ["1s", null],
    ["1.s", null],
    [".5s", null],
    ["1.5x", null],
  ];
  for (const [text, expected] of examples) assert.equal(parseFraction(text), expected, text);
});

test("a duration is the sum of its units, of which any may be left out", () => {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;
  const count = fc.option(fc.nat(9_000));
  const counts = fc.record({ d: count, h: count, m: count, s: fc.nat(9_000) });
  const letters = Object.keys(units) as (keyof typeof units)[];
  fc.assert(
    fc.property(counts, (given) => {
      const said = letters.filter((letter) => given[letter] !== null);
      const text = said.map((letter) => `${given[letter]}${letter}`).join("");
      const sumMs = said.reduce((sum, letter) => sum + given[letter]! * units[letter], 0);
      assert.equal(parseDuration(text), sumMs);
    }),
    { numRuns: 5_000 },
  );
});

test("no text does more than be refused", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(..."0123456789dhms ".split("")), maxLength: 40 }),
  );
  fc.assert(
    fc.property(text, (given) => {
      const durationMs = readOrNull(given);
      assert.ok(durationMs === null || (durationMs >= 0 && durationMs <= DURATION_MS_MAX));
    }),
    { numRuns: 20_000 },
  );
});

function readOrNull(text: string): number | null {
  try {
    return parseDuration(text);
  } catch (error) {
    assert.ok(error instanceof Problem);
    return null;
  }
}
