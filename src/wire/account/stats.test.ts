import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countsBy,
  DURATION_BOUNDS_MS,
  STAT_RETENTION_MS,
  STAT_STEPS_MS,
  type Stats,
} from "../../core/model/account/stats.ts";
import { hostsJson, readHostQuery, readStatQuery, readStatsPeriod, seriesJson } from "./stats.ts";

const MINUTE = STAT_STEPS_MS.minute;
const HOUR = STAT_STEPS_MS.hour;
/** The start of an hour, and of a day. */
const START = 20_000 * STAT_STEPS_MS.day;
const bounds = (query: string, now = START): readonly number[] => {
  const { fromAt, toAt } = readStatQuery(query, now);
  return [fromAt, toAt];
};

test("a range begins with the step of its start and ends before its end", () => {
  assert.deepEqual(bounds(`from=${START}&to=${START + MINUTE}`), [START, START + MINUTE]);
  assert.deepEqual(bounds(`from=${START}&to=${START + MINUTE + 1}`), [START, START + 2 * MINUTE]);
  assert.deepEqual(bounds(`from=${START}&to=${START + 1}`), [START, START + MINUTE]);
  assert.deepEqual(bounds(`from=${START - 1}&to=${START}`), [START - MINUTE, START]);
  assert.deepEqual(bounds(`from=${START + MINUTE - 1}&to=${START + MINUTE}`), [
    START,
    START + MINUTE,
  ]);
  assert.deepEqual(bounds(`step=hour&from=${START + HOUR - 1}&to=${START + HOUR + 1}`), [
    START,
    START + 2 * HOUR,
  ]);
});

test("without a range it is the last 60 steps, with the one that has begun", () => {
  assert.deepEqual(bounds("", START + 1), [START - 59 * MINUTE, START + MINUTE]);
  assert.deepEqual(bounds("", START), [START - 60 * MINUTE, START]);
  assert.deepEqual(bounds("step=hour", START + 1), [START - 59 * HOUR, START + HOUR]);
});

test("a range has one to 1,440 steps", () => {
  const from = START - 1_440 * MINUTE;
  assert.deepEqual(bounds(`from=${from}&to=${START}`), [from, START]);
  const refused = /1440 steps/;
  assert.throws(() => bounds(`from=${from - 1}&to=${START}`), refused);
  assert.throws(() => bounds(`from=${from}&to=${START + 1}`), refused);
  assert.throws(() => bounds(`from=${START}&to=${START}`), /from: must be before to/);
});

test("hosts are counted from the start of an hour, 1 to 100 of them", () => {
  assert.deepEqual(readHostQuery("", START + HOUR), { fromAt: START, count: 20 });
  assert.deepEqual(readHostQuery("", START + HOUR - 1), { fromAt: START - HOUR, count: 20 });
  assert.equal(readHostQuery(`from=${START + HOUR - 1}`, START).fromAt, START);
  for (const count of [1, 100]) assert.equal(readHostQuery(`count=${count}`, START).count, count);
  for (const count of [0, 101]) {
    assert.throws(() => readHostQuery(`count=${count}`, START), /count: must be from 1 to 100/);
  }
});

test("hosts are counted by the hour only", () => {
  assert.equal(readStatQuery("step=hour&host=a.test", START).host, "a.test");
  assert.equal(readStatQuery("step=hour", START).host, undefined);
  for (const query of ["host=a.test", "host=a.test&step=day"]) {
    assert.throws(() => readStatQuery(query, START), /host: is counted by step=hour only/);
  }
});

test("counts go back a day, or one of the known periods", () => {
  assert.deepEqual(readStatsPeriod(""), { name: "1d", periodMs: 86_400_000 });
  for (const [name, periodMs] of [
    ["1h", HOUR],
    ["3h", 3 * HOUR],
    ["12h", 12 * HOUR],
    ["3d", 72 * HOUR],
    ["7d", 168 * HOUR],
    ["30d", 720 * HOUR],
  ] as const) {
    assert.deepEqual(readStatsPeriod(`period=${name}`), { name, periodMs });
  }
  assert.throws(() => readStatsPeriod("period=2d"), /period: /);
});

test("counts are shown with the time that parts of the attempts took at most", () => {
  const durations = DURATION_BOUNDS_MS.map(() => 0).concat(0);
  durations.splice(0, 3, 90, 6, 4);
  const { durationMs: _durationMs, ...counts } = countsBy((name) => name.length);
  const stats: Stats = { ...counts, durationMs: 7_000, durations };
  const shown = hostsJson({ fromAt: START, count: 1 }, [{ host: "a.test", ...stats }]);
  assert.equal(shown.from, START);
  const [{ p50Ms, p95Ms, p99Ms, ...rest }] = shown.hosts as [(typeof shown.hosts)[number]];
  assert.deepEqual(rest, { host: "a.test", ...counts, durations });
  const [first, second, third] = DURATION_BOUNDS_MS;
  assert.ok(p50Ms! > 0 && p50Ms! <= first, `${p50Ms}`);
  assert.ok(p95Ms! > first && p95Ms! <= second, `${p95Ms}`);
  assert.ok(p99Ms! > second && p99Ms! <= third, `${p99Ms}`);
  const query = { step: "hour", fromAt: START, toAt: START + HOUR, host: undefined } as const;
  const waiting = { due: 1, later: 2, oldestDueMs: null };
  const series = seriesJson(query, {
    points: [{ startAt: START, ...stats }],
    backlog: [{ startAt: START, ...waiting }],
  });
  assert.deepEqual(series, {
    step: "hour",
    from: START,
    to: START + HOUR,
    keptForMs: STAT_RETENTION_MS.hour,
    durationBoundsMs: DURATION_BOUNDS_MS,
    points: [{ at: START, ...counts, durations, p50Ms, p95Ms, p99Ms }],
    backlog: [{ at: START, ...waiting }],
  });
});
