import assert from "node:assert/strict";
import { test } from "node:test";

import { LATE_MS_MAX, planTicks, retimed, SKIPPED_COUNTED_MAX } from "./ticks.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 10, 12);

test("a tick on time is published, and the next one is awaited", () => {
  assert.deepEqual(planTicks("* * * * *", NOON, NOON), {
    fireAt: NOON,
    skipped: null,
    nextAt: NOON + MINUTE,
  });
  assert.deepEqual(planTicks("* * * * *", NOON, NOON + MINUTE - 1), {
    fireAt: NOON,
    skipped: null,
    nextAt: NOON + MINUTE,
  });
});

test("of several that were missed the latest is published and the others are one record", () => {
  assert.deepEqual(planTicks("* * * * *", NOON, NOON + 5 * MINUTE + 1), {
    fireAt: NOON + 5 * MINUTE,
    skipped: { firstAt: NOON, lastAt: NOON + 4 * MINUTE, count: 5 },
    nextAt: NOON + 6 * MINUTE,
  });
});

test("a tick that is a day late is published, and one that is later is not", () => {
  const daily = "0 12 * * *";
  const yearly = "0 12 10 1 *";
  assert.equal(planTicks(daily, NOON, NOON + LATE_MS_MAX - 1).fireAt, NOON);
  assert.equal(planTicks(yearly, NOON, NOON + LATE_MS_MAX).fireAt, NOON);
  assert.deepEqual(planTicks(yearly, NOON, NOON + LATE_MS_MAX + 1), {
    fireAt: null,
    skipped: { firstAt: NOON, lastAt: NOON, count: 1 },
    nextAt: NOON + 365 * DAY,
  });
});

test("after days away the latest tick is published when it is not older than a day", () => {
  const plan = planTicks("0 12 * * *", NOON, NOON + 3 * DAY + HOUR);
  assert.deepEqual(plan, {
    fireAt: NOON + 3 * DAY,
    skipped: { firstAt: NOON, lastAt: NOON + 2 * DAY, count: 3 },
    nextAt: NOON + 4 * DAY,
  });
});

test("counting what was missed ends somewhere, and still names the last of it", () => {
  const now = NOON + 100 * DAY;
  assert.deepEqual(planTicks("* * * * *", NOON, now), {
    fireAt: now,
    skipped: { firstAt: NOON, lastAt: now - MINUTE, count: SKIPPED_COUNTED_MAX },
    nextAt: now + MINUTE,
  });
});

test("only a next instant far ahead of what it should be is set anew", () => {
  const minutely = "* * * * *";
  assert.equal(retimed(minutely, NOON + MINUTE, NOON), null);
  assert.equal(retimed(minutely, NOON + HOUR, NOON), null);
  assert.equal(retimed(minutely, NOON + 2 * HOUR, NOON), NOON + MINUTE);
  assert.equal(retimed("0 0 1 1 *", Date.UTC(2027, 0, 1), NOON), null);
  assert.equal(retimed("0 0 1 1 *", Date.UTC(2028, 0, 1), NOON), Date.UTC(2027, 0, 1));
});

test("a tick that was due before the clock was set back is not planned again", () => {
  assert.deepEqual(planTicks("* * * * *", NOON, NOON - 30_000), {
    fireAt: NOON,
    skipped: null,
    nextAt: NOON + MINUTE,
  });
});
