import assert from "node:assert/strict";
import { test } from "node:test";
import { retryDelayMs } from "../policy/retry/retry-delay.ts";
import { simulateLine, simulateRetries, simulateSchedule } from "./simulation.ts";

const AT = Date.UTC(2026, 0, 1);
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

test("each retry comes when the rule of retries says, and the last one ends it", () => {
  const settings = { retries: 3, retryDelay: "1000 * pow(2, retried)" };
  const attempts = simulateRetries({ settings, answers: [{ status: 500 }], takesMs: 100 }, AT);
  assert.deepEqual(
    attempts.map(({ earliestAt, latestAt, result }) => [earliestAt - AT, latestAt - AT, result]),
    [
      [0, 0, "retry"],
      [1_100, 1_100, "retry"],
      [3_200, 3_200, "retry"],
      [7_300, 7_300, "dead"],
    ],
  );
});

test("the default backoff has a latest time too", () => {
  const settings = { retries: 1 };
  const [, second] = simulateRetries({ settings, answers: [{ status: 0 }], takesMs: 0 }, AT);
  assert.equal(second!.earliestAt - AT, retryDelayMs(undefined, 0, 0));
  assert.equal(second!.latestAt - AT, retryDelayMs(undefined, 0, 1));
  assert.ok(second!.latestAt > second!.earliestAt);
});

test("Retry-After is heeded, a good answer delivers, and a final one ends it", () => {
  const settings = { retries: 5 };
  const answers = [{ status: 429, retryAfter: "120" }, { status: 503 }, { status: 204 }];
  const attempts = simulateRetries({ settings, answers, takesMs: 0 }, AT);
  assert.deepEqual(
    attempts.map(({ status, result }) => [status, result]),
    [
      [429, "retry"],
      [503, "retry"],
      [204, "delivered"],
    ],
  );
  assert.equal(attempts[1]!.earliestAt - AT, 120 * SECOND_MS);
  assert.equal(attempts[1]!.latestAt - AT, 120 * SECOND_MS);
});

test("a schedule shows when the clocks of its zone change", () => {
  const from = Date.UTC(2026, 2, 27, 12);
  const ticks = simulateSchedule("CRON_TZ=Europe/Paris 30 9 * * *", from, 3);
  assert.deepEqual(
    ticks.map(({ at, offsetMinutes, isAfterChange }) => [
      new Date(at).toISOString(),
      offsetMinutes,
      isAfterChange,
    ]),
    [
      ["2026-03-28T08:30:00.000Z", 60, false],
      ["2026-03-29T07:30:00.000Z", 120, true],
      ["2026-03-30T07:30:00.000Z", 120, false],
    ],
  );
  assert.deepEqual(simulateSchedule("@every 24h", AT, 1), [
    { at: AT + DAY_MS, offsetMinutes: 0, isAfterChange: false },
  ]);
});

test("a queue drains as its parallelism and the answers allow", () => {
  const limits = { parallelism: 2, rate: null, periodMs: SECOND_MS };
  const { rows, ...drain } = simulateLine({ limits, messages: 5, takesMs: [100, 300] });
  assert.deepEqual(drain, { drainedAfterMs: 500, atOnceMax: 2 });
  assert.deepEqual(
    rows.map(({ startsAfterMs, endsAfterMs }) => [startsAfterMs, endsAfterMs]),
    [
      [0, 100],
      [0, 300],
      [100, 200],
      [200, 500],
      [300, 400],
    ],
  );
});

test("a key drains as its rate allows, period by period", () => {
  const limits = { parallelism: null, rate: 10, periodMs: 60_000 };
  const drain = simulateLine({ limits, messages: 10_000, takesMs: [50] });
  assert.equal(drain.drainedAfterMs, 999 * 60_000 + 50);
  assert.equal(drain.atOnceMax, 10);
  assert.equal(drain.rows.length, 20);
  assert.equal(drain.rows[0]!.message, 1);
  assert.equal(drain.rows.at(-1)!.message, 10_000);
  const free = simulateLine({
    limits: { parallelism: null, rate: null, periodMs: 1 },
    messages: 1,
    takesMs: [7],
  });
  assert.deepEqual(free.rows, [{ message: 1, startsAfterMs: 0, endsAfterMs: 7 }]);
});
