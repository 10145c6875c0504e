/** What waits, by its reasons; and how many messages and log entries there are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WaitingReasons } from "../../sdk/src/answers/message.ts";
import { byReason, waitingHref } from "../../dashboard/src/line/waiting-reasons.ts";
import { dashboardModule } from "../support/dashboard-modules.ts";

const { entriesOf } = await dashboardModule<{
  entriesOf: (point: Readonly<Record<string, number>>) => number;
}>("message/log-size.ts");
const { waitingCounts, endedCounts } = await dashboardModule<{
  waitingCounts: (report: WaitingReasons | null) => Record<string, unknown>;
  endedCounts: (points: readonly unknown[], now: number) => Record<string, { count: number }>;
}>("message/state-counts.ts");

const place = (name: string, count: number, endsAt: number | null = null) => ({
  reason: "queue-full" as const,
  endsAt,
  line: { kind: "queue" as const, name },
  count,
  isAbout: false,
  oldest: { messageId: name, url: "u", createdAt: count },
});

test("what waits has one row for each reason, with all of its places", () => {
  const delay = { ...place("d", 7), reason: "delay" as const, isAbout: true };
  const rows = byReason([place("a", 2), place("b", 3, 50), delay]);
  assert.deepEqual(
    rows.map(({ reason, count, isAbout }) => [reason, count, isAbout]),
    [
      ["delay", 7, true],
      ["queue-full", 5, false],
    ],
  );
  const [, full] = rows;
  assert.deepEqual([full?.endsAt, full?.oldestAt], [50, 2]);
  assert.deepEqual(
    full?.places.map(({ line }) => line?.name),
    ["b", "a"],
  );
  assert.equal(
    waitingHref("queue-full", { kind: "queue", name: "a b" }),
    "/messages?waiting=queue-full&queue=a%20b",
  );
  const counts = waitingCounts({ reasons: [place("a", 2), delay], isPartial: false });
  assert.deepEqual(counts["CREATED"], { count: 9, isAbout: true, says: "Now" });
  assert.deepEqual(counts["RETRY"], { count: 0, isAbout: false, says: "Now" });
});

test("the counts of a day tell how many entries it has", () => {
  // Created, active, error, retry, active, delivered.
  assert.equal(entriesOf({ published: 1, attempts: 2, failedAttempts: 1, canceled: 0 }), 6);
});

test("what has ended is counted for 24 hours, with the one that has begun", () => {
  const hour = 3_600_000;
  const point = (at: number) => ({ at: at * hour, delivered: 1, deadLettered: 2, canceled: 3 });
  const points = [point(0), point(1), point(24)];
  const counts = endedCounts(points, 24 * hour + 5);
  assert.deepEqual(
    [counts["DELIVERED"]?.count, counts["FAILED"]?.count, counts["CANCELED"]?.count],
    [2, 4, 6],
  );
});
