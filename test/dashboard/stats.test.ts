/** The numbers of the overview over time, with the steps in which nothing happened. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hosts, StatPoint } from "../../dashboard/src/answers/stats.ts";
import { DURATION_BOUNDS_MS, quantileMs } from "../../src/core/model/account/stats.ts";
import { dashboardModule } from "../support/dashboard-modules.ts";

const { filled, perStep, quantileOf, RANGES, sinceText, sumOf } = await dashboardModule<{
  perStep: (total: number, range: string, now: number) => number;
  quantileOf: (
    points: readonly Pick<StatPoint, "durations">[],
    boundsMs: readonly number[],
    share: number,
  ) => number | null;
  filled: (points: readonly StatPoint[], range: string, now: number) => StatPoint[];
  RANGES: Readonly<Record<string, { readonly stepMs: number; readonly steps: number }>>;
  sinceText: (hosts: Pick<Hosts, "from">) => string;
  sumOf: (points: readonly StatPoint[], field: string) => number;
}>("overview/stats.ts");

const MINUTE_MS = 60_000;
/** Exactly at the beginning of a minute and an hour. */
const NOON = Date.UTC(2026, 5, 15, 12);

test("each range has one point for each of its steps, up to the one that now is in", () => {
  for (const [range, { stepMs, steps }] of Object.entries(RANGES)) {
    for (const now of [NOON, NOON + stepMs - 1]) {
      const times = filled([], range, now).map(({ at }) => at);
      assert.equal(times.length, steps, range);
      assert.equal(times.at(-1), NOON, range);
      assert.equal(times[0], NOON - (steps - 1) * stepMs, range);
      assert.deepEqual(
        times,
        times.map((_, index) => times[0]! + index * stepMs),
      );
    }
  }
  assert.equal(filled([], "1h", NOON - 1).at(-1)?.at, NOON - MINUTE_MS);
});

test("the ranges are an hour, a day and a week", () => {
  const hours = Object.entries(RANGES).map(([range, { stepMs, steps }]) => [
    range,
    (stepMs * steps) / 3_600_000,
  ]);
  assert.deepEqual(hours, [
    ["1h", 1],
    ["24h", 24],
    ["7d", 168],
  ]);
});

test("a step that the server counted has its counts, and every other none", () => {
  const counted = point(NOON - 5 * MINUTE_MS, { attempts: 4, p95Ms: 120 });
  const tooOld = point(NOON - 60 * MINUTE_MS, { attempts: 9 });
  const points = filled([tooOld, counted], "1h", NOON + 30_000);
  assert.deepEqual(points.at(-6), counted);
  assert.deepEqual(
    points.filter(({ attempts }) => attempts !== 0),
    [counted],
  );
  assert.equal(points.at(-1)?.p95Ms, null);
  assert.equal(sumOf(points, "attempts"), 4);
});

test("a sum is of the field that was asked for", () => {
  const points = [
    point(0, { published: 1, attempts: 10, failedAttempts: 100 }),
    point(1, { published: 2, delivered: 3, deadLettered: 40 }),
  ];
  const fields = ["published", "attempts", "failedAttempts", "delivered", "deadLettered"];
  assert.deepEqual(
    fields.map((field) => sumOf(points, field)),
    [3, 10, 100, 3, 40],
  );
  assert.equal(sumOf([], "published"), 0);
});

test("hosts are counted since an hour, which is said without its seconds", () => {
  const from = new Date();
  from.setHours(from.getHours() - 1, 0, 0, 0);
  assert.match(sinceText({ from: from.getTime() }), /^(\d+ \w+ )?\d\d:00$/);
  const created = new Date();
  created.setSeconds(13);
  const [minute] = /:\d\d/.exec(created.toTimeString())!;
  assert.ok(sinceText({ from: created.getTime() }).endsWith(minute));
});

function point(at: number, counts: Partial<StatPoint>): StatPoint {
  return { ...filled([], "1h", 0)[0]!, at, ...counts };
}

test("a quantile of all points is that of their attempts together, as the server counts it", () => {
  const buckets = DURATION_BOUNDS_MS.length + 1;
  const points = [3, 7, 20].map((count, index) => ({
    durations: Array.from({ length: buckets }, (_, bucket) => (bucket * count + index) % 5),
  }));
  const durations = points[0]!.durations.map((_, bucket) =>
    points.reduce((sum, each) => sum + each.durations[bucket]!, 0),
  );
  for (const share of [0.5, 0.95, 0.99]) {
    const expected = quantileMs({ durations }, share);
    assert.equal(quantileOf(points, DURATION_BOUNDS_MS, share), expected);
  }
  assert.equal(quantileOf([], DURATION_BOUNDS_MS, 0.95), null);
});

test("per minute is the average of the minutes that have passed", () => {
  assert.equal(perStep(595, "1h", NOON + MINUTE_MS / 2), 10);
  assert.equal(perStep(47, "24h", NOON + 30 * MINUTE_MS), 2);
});
