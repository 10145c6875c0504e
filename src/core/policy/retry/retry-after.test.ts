import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isNotRetryable, retryAfterMs } from "./retry-after.ts";

const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);

function asked(value: string): number | null {
  return retryAfterMs([["Retry-After", value]], NOW);
}

test("seconds, dates and durations are understood", () => {
  const examples: [string, number | null][] = [
    ["0", 0],
    ["120", 120_000],
    ["86400", 86_400_000],
    ["86401", null],
    ["Sun, 15 Nov 2026 12:00:30 GMT", 30_000],
    ["Sun, 15 Nov 2026 11:00:00 GMT", 0],
    ["Tue, 17 Nov 2026 12:00:00 GMT", null],
    ["6m5s", 365_000],
    ["1.5s", 1_500],
    [".5s", 500],
    ["250ms", 250],
    ["1us", 1],
    ["1µs", 1],
    ["\u00c2\u00b5s", null],
    ["1\u00c2\u00b5s", 1],
    ["999999ns", 1],
    ["24h", 86_400_000],
    ["24h1ms", null],
    ["-5s", null],
    ["5 s", null],
    ["5x", null],
    ["soon", null],
    ["", null],
    ["Sun, 32 Nov 2026 12:00:30 GMT", null],
    ["Sun, 15 Nox 2026 12:00:30 GMT", null],
  ];
  for (const [value, expected] of examples) assert.equal(asked(value), expected, value);
});

test("a date is one from the first of a month to its last second, and no other", () => {
  const hour = Date.UTC(2026, 10, 1, 23, 59, 0);
  const askedAt = (value: string): number | null => retryAfterMs([["Retry-After", value]], hour);
  assert.equal(askedAt("Sun, 01 Nov 2026 23:59:60 GMT"), 60_000);
  assert.equal(askedAt("Sun, 01 Nov 2026 23:59:30 UTC"), 30_000);
  const lastMinute = Date.UTC(2026, 11, 31, 23, 59, 0);
  const askedLast = (value: string): number | null =>
    retryAfterMs([["Retry-After", value]], lastMinute);
  assert.equal(askedLast("Thu, 31 Dec 2026 23:59:30 GMT"), 30_000);
  assert.equal(askedLast("Fri, 32 Dec 2026 00:00:00 GMT"), null);
  for (const value of [
    "Sun, 00 Nov 2026 23:59:30 GMT",
    "Sun, 01 Nov 2026 24:00:00 GMT",
    "Sun, 01 Nov 2026 23:60:00 GMT",
    "Sun, 01 Nov 2026 23:59:61 GMT",
    "Sun, 01 Ova 2026 23:59:30 GMT",
  ]) {
    assert.equal(askedAt(value), null, value);
  }
});

test("a value of up to 64 characters is read, with blanks around it", () => {
  assert.equal(asked(`\t 7s${" ".repeat(100)}`), 7_000);
  const zeros = `${"0".repeat(13)}s`.repeat(4);
  assert.equal(asked(`${zeros}0000007s`), 7_000);
  assert.equal(asked(`${zeros}00000007s`), null);
  assert.equal(asked("9".repeat(16)), null);
});

test("each of the headers is heeded, also alone", () => {
  const names = ["Retry-After", "X-RateLimit-Reset"];
  for (const name of [...names, "X-RateLimit-Reset-Requests", "X-RateLimit-Reset-Tokens"]) {
    assert.equal(retryAfterMs([[name, "7"]], NOW), 7_000, name);
    assert.equal(retryAfterMs([[`${name.slice(0, -1)}x`, "7"]], NOW), null);
  }
});

test("the first usable header in the order of the list decides", () => {
  const tokens = ["x-ratelimit-reset-tokens", "4s"] as const;
  const requests = ["X-RateLimit-Reset-Requests", "3s"] as const;
  const reset = ["X-RateLimit-Reset", "1768478400"] as const;
  assert.equal(retryAfterMs([tokens, requests, reset], NOW), 3_000);
  assert.equal(retryAfterMs([tokens, requests, ["retry-after", "9"]], NOW), 9_000);
  assert.equal(retryAfterMs([reset], NOW), null);
  assert.equal(retryAfterMs([], NOW), null);
});

function answer(status: number, name: string, value = "true") {
  return { status, headers: [[name, value]] as const };
}

test("489 with the header of either dialect is not tried again", () => {
  assert.ok(isNotRetryable(answer(489, "Svc-NonRetryable-Error")));
  assert.ok(isNotRetryable(answer(489, "upstash-nonretryable-error", "True")));
  assert.ok(!isNotRetryable(answer(489, "Svc-NonRetryable-Error", "false")));
  assert.ok(!isNotRetryable(answer(500, "Svc-NonRetryable-Error")));
  assert.ok(!isNotRetryable({ status: 489, headers: [] }));
});

test("no value does more than be ignored", () => {
  const value = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.string({ unit: fc.constantFrom(..."0123456789.nuµmsh".split("")), maxLength: 70 }),
  );
  fc.assert(
    fc.property(value, (given) => {
      const delayMs = asked(given);
      return (
        delayMs === null || (Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= 86_400_000)
      );
    }),
    { numRuns: 20_000 },
  );
});
