import assert from "node:assert/strict";
import { test } from "node:test";

import { START_AT } from "../../../test/support/messages.ts";
import { startOfStep } from "../../core/model/account/stats.ts";
import type { LogStep } from "../records/log-step.ts";
import { StatsTally } from "./stats-tally.ts";
import type { WorkingSet } from "./working-set.ts";

/** The row of a minute counts what was created in it. */
function publishedIn(tally: StatsTally): number | undefined {
  return tally.take(10).find(({ step }) => step === "minute")?.published;
}

function addCreated(tally: StatsTally, count: number): void {
  const entry = { accountId: "account", messageId: "message", at: START_AT, state: "CREATED" };
  const step = { entry, next: null, attempt: null, host: null } as unknown as LogStep;
  tally.add({ steps: Array.from({ length: count }, () => step) } as unknown as WorkingSet);
}

function addAttempt(tally: StatsTally, at: number, tookMs: number): void {
  const entry = { accountId: "account", messageId: "message", at, state: "DELIVERED" };
  const attempt = { startedAt: at, endedAt: at + tookMs };
  const step = { entry, next: null, attempt, host: "a.test" } as unknown as LogStep;
  tally.add({ steps: [step] } as unknown as WorkingSet);
}

test("of two writes that failed at once all rows are taken with the next ones", () => {
  const tally = new StatsTally();
  addCreated(tally, 2);
  const first = tally.take(10);
  addCreated(tally, 3);
  const second = tally.take(10);
  for (const rows of [first, second]) tally.putBack(rows);
  assert.equal(publishedIn(tally), 5);
});

test("an hour adds up what its minutes counted, and how long their attempts took", () => {
  const tally = new StatsTally();
  const hour = startOfStep(START_AT, "hour");
  addAttempt(tally, hour, 40);
  addAttempt(tally, hour + 60_000, 40);
  const row = tally.take(10).find(({ step, host }) => step === "hour" && host === "");
  assert.deepEqual([row?.attempts, row?.durationMs, Math.max(...row!.durations)], [2, 80, 2]);
});

test("an attempt that ended before it began, by a clock that was set back, took no time", () => {
  const tally = new StatsTally();
  addAttempt(tally, START_AT, -5_000);
  assert.deepEqual([tally.totals.attempts, tally.totals.durationMs], [1, 0]);
});

test("rows that could not be written are taken with the next ones, once", () => {
  const tally = new StatsTally();
  addCreated(tally, 2);
  const rows = tally.take(10);
  tally.putBack(rows);
  addCreated(tally, 3);
  assert.equal(publishedIn(tally), 5);
  assert.equal(publishedIn(tally), undefined);
  assert.equal(tally.totals.published, 5);
});
