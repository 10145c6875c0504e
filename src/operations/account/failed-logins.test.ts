import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Problem } from "../../core/problem.ts";
import { FailedLogins } from "./failed-logins.ts";

function guard() {
  const clock = new ManualClock();
  return { clock, failed: new FailedLogins({ clock, burst: 3, refillMs: 6_000 }) };
}

test("after some failures in a row the next is told when to come back", () => {
  const { clock, failed } = guard();
  for (let time = 0; time < 3; time++) failed.spend("a");
  assert.throws(
    () => failed.spend("a"),
    (error) => error instanceof Problem && error.status === 429 && error.retryAfterSeconds === 6,
  );
  failed.spend("b");
  clock.advance(5_999);
  assert.throws(() => failed.spend("a"));
  clock.advance(1);
  failed.spend("a");
  assert.throws(() => failed.spend("a"));
});

test("what went well is not counted", () => {
  const { failed } = guard();
  for (let time = 0; time < 10; time++) {
    failed.spend("a");
    failed.giveBack("a");
  }
});

test("names without end take no memory without end", () => {
  const { failed } = guard();
  for (let time = 0; time < 3; time++) failed.spend("first");
  for (let number = 0; number < 20_000; number++) failed.spend(`name-${number}`);
  failed.spend("first");
});
