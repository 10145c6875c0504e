/** The backlog that the overview draws: what the server counted, and what waits now. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BacklogPoint } from "../../dashboard/src/answers/stats.ts";

import { backlogNow, filledBacklog } from "../../dashboard/src/overview/backlog.ts";

const TIMES = [0, 60_000, 120_000, 180_000];

test("a step without a count has the one before", () => {
  const counted = [point(60_000, 3, 2), point(180_000, 0, 0)];
  assert.deepEqual(shape(filledBacklog(counted, TIMES, null)), [
    [0, 0],
    [3, 2],
    [3, 2],
    [0, 0],
  ]);
});

test("the newest step is what waits now, also when it is the only one", () => {
  const now = backlogNow({
    isPartial: false,
    reasons: [row("delay", 4), row("queue-full", 2), row("retry", 1)],
  });
  const points = filledBacklog([], TIMES, now);
  assert.deepEqual(shape(points).at(-1), [2, 5]);
  assert.equal(points.at(-1)?.at, 180_000);
});

test("what is not exact is not drawn as now", () => {
  assert.equal(backlogNow(null), null);
  assert.equal(backlogNow({ isPartial: true, reasons: [] }), null);
  const about = { ...row("delay", 1), isAbout: true };
  assert.equal(backlogNow({ isPartial: false, reasons: [about] }), null);
});

function point(at: number, due: number, later: number): BacklogPoint {
  return { at, due, later, oldestDueMs: null };
}

function row(reason: "delay" | "retry" | "queue-full", count: number) {
  return { reason, count, isAbout: false, endsAt: null, oldest: null };
}

function shape(points: readonly BacklogPoint[]): number[][] {
  return points.map(({ due, later }) => [due, later]);
}
