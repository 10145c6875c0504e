import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { Problem } from "../../../core/problem.ts";
import { SMALL_BYTES } from "../../../platform/budget.ts";
import { createBodyBudget } from "./body.ts";

const MB = 1024 * 1024;

const isBusy = (error: unknown): boolean =>
  error instanceof Problem && error.status === 503 && error.retryAfterSeconds === 5;

test("bodies have 64 MB, and small ones 16 MB more", () => {
  const budget = createBodyBudget(new ManualClock());
  assert.ok(budget.open("owner").grow(63 * MB));
  assert.ok(!budget.open("owner").grow(MB + 1));
  assert.ok(budget.open("owner").grow(MB));
  for (let count = 0; count < (16 * MB) / SMALL_BYTES; count++) {
    assert.ok(budget.open("owner").grow(SMALL_BYTES));
  }
  assert.ok(!budget.open("owner").grow(1));
});

test("256 bodies wait for at most 10 seconds, and the others are told to come back", async () => {
  const clock = new ManualClock();
  const budget = createBodyBudget(clock);
  await budget.open("first").wait(65 * MB);
  assert.ok(budget.open("second").grow(64 * MB));
  const ends = Array.from({ length: 256 }, () => budget.open("owner").wait(MB));
  await assert.rejects(budget.open("owner").wait(MB), isBusy);
  clock.advance(9_999);
  assert.equal(budget.waiting, 256);
  clock.advance(1);
  for (const end of ends) await assert.rejects(end, isBusy);
});

test("the body that goes beyond it is given up after 15 seconds, if others wait", async () => {
  const clock = new ManualClock();
  const budget = createBodyBudget(clock);
  let expired = 0;
  await budget.open("first", () => (expired += 1)).wait(65 * MB);
  assert.ok(budget.open("second").grow(64 * MB));
  clock.advance(14_999);
  const waits = budget.open("third").wait(MB);
  waits.catch(() => undefined);
  assert.equal(expired, 0);
  clock.advance(1);
  assert.equal(expired, 1);
});
