import assert from "node:assert/strict";
import { test } from "node:test";
import { STAT_STEPS_MS } from "../../core/model/account/stats.ts";
import { readHostQuery, readStatQuery } from "./stats.ts";

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
