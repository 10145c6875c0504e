/** Queues and keys in words: their rates, and why their messages wait. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { FlowControlKey, Queue } from "../../sdk/src/answers/line.ts";
import type { WaitingRow } from "../../sdk/src/answers/message.ts";
import { dashboardModule, setPageTime } from "../support/dashboard-modules.ts";

const { keyPath, periodText, rateOpensAt, rateUsed } = await dashboardModule<{
  keyPath: (key: string, verb: string) => string;
  periodText: (seconds: number) => string;
  rateOpensAt: (key: FlowControlKey, now: number) => number | null;
  rateUsed: (key: FlowControlKey, now: number) => number;
}>("line/line.ts");
const { inFlightOf, oldestAt, whyKeyWaits, whyQueueWaits } = await dashboardModule<{
  inFlightOf: (queue: Queue, rows: readonly Pick<WaitingRow, "count" | "isAbout">[]) => number;
  oldestAt: (rows: readonly WaitingRow[]) => number | null;
  whyKeyWaits: (key: FlowControlKey, rows: readonly WaitingRow[]) => string | null;
  whyQueueWaits: (queue: Queue, rows: readonly WaitingRow[]) => string | null;
}>("line/why-waits.ts");

const OLDEST = { messageId: "msg_1", url: "https://a.test", createdAt: 0 };
const NOW = Date.UTC(2026, 5, 15, 12);

const waiting = (count: number, isAbout = false) => [{ count, isAbout }];

describe("queues and keys", () => {
  before(() => setPageTime(NOW));

  test("a period is said in its largest whole unit", () => {
    const said = [1, 10, 60, 90, 300, 3_600, 7_200, 86_400, 172_800].map(periodText);
    assert.deepEqual(said, [
      "per s",
      "per 10 s",
      "per min",
      "per 90 s",
      "per 5 min",
      "per h",
      "per 2 h",
      "per day",
      "per 2 days",
    ]);
  });

  test("a rate is used up until its period ends, and counts for nothing after it", () => {
    const key = keyOf({
      rateMax: 5,
      rateCount: 5,
      ratePeriod: 60,
      ratePeriodStart: NOW / 1_000 - 20,
    });
    assert.equal(rateOpensAt(key, NOW), NOW + 40_000);
    assert.equal(rateUsed(key, NOW), 5);
    assert.equal(rateOpensAt(key, NOW + 40_000), null);
    assert.equal(rateUsed(key, NOW + 40_000), 0);
    assert.equal(rateOpensAt({ ...key, rateCount: 4 }, NOW), null);
    assert.equal(rateOpensAt({ ...key, rateMax: 0 }, NOW), null);
  });

  test("a queue waits for its slots, or until it is resumed", () => {
    const queue = { name: "orders", parallelism: 1, lag: 3, paused: false } as Queue;
    assert.equal(whyQueueWaits(queue, []), "its one slot is taken");
    assert.equal(whyQueueWaits({ ...queue, parallelism: 2 }, []), "all 2 slots taken");
    assert.equal(whyQueueWaits({ ...queue, lag: 1 }, []), null);
    assert.equal(whyQueueWaits({ ...queue, paused: true }, []), "paused until you resume it");
    assert.equal(whyQueueWaits({ ...queue, paused: true, lag: 0 }, []), "paused");
  });

  test("what is being sent of a queue is all that does not wait in it, paused or not", () => {
    const queue = { name: "orders", parallelism: 2, lag: 5, paused: false } as Queue;
    for (const paused of [false, true]) {
      assert.equal(inFlightOf({ ...queue, paused }, waiting(4)), 1);
      assert.equal(inFlightOf({ ...queue, paused }, waiting(5)), 0);
      assert.equal(inFlightOf({ ...queue, paused }, waiting(3)), 2);
    }
    // The two counts are not of one instant.
    assert.equal(inFlightOf(queue, waiting(9)), 0);
    assert.equal(inFlightOf(queue, waiting(1, true)), 2);
  });

  test("a key says its rate before its slots, and nothing when nothing waits", () => {
    const full = keyOf({ parallelismMax: 3, parallelismCount: 3, waitListSize: 2 });
    assert.equal(whyKeyWaits(full, []), "all 3 slots taken");
    const usedUp = { rateMax: 1, rateCount: 1, ratePeriod: 60, ratePeriodStart: NOW / 1_000 - 39 };
    assert.equal(whyKeyWaits({ ...full, ...usedUp }, []), "rate used up, opens in 21 s");
    assert.equal(whyKeyWaits({ ...full, ...usedUp, waitListSize: 0 }, []), null);
    assert.equal(whyKeyWaits({ ...full, parallelismCount: 2 }, []), "about to start");
    assert.equal(whyKeyWaits({ ...full, isPaused: true }, []), "paused until you resume it");
  });

  test("the oldest that waits is the oldest of all its reasons", () => {
    const row = { reason: "queue-full", endsAt: null, count: 1, isAbout: false } as const;
    const rows = [
      { ...row, oldest: { ...OLDEST, createdAt: 7 } },
      { ...row, oldest: { ...OLDEST, createdAt: 5 } },
      { ...row, oldest: null },
    ];
    assert.equal(oldestAt(rows), 5);
    assert.equal(oldestAt([{ ...row, oldest: null }]), null);
  });

  test("the slashes of a key stay slashes of the path", () => {
    assert.equal(keyPath("a b/c?", "pin"), "/v2/flowControl/a%20b/c%3F/pin");
  });
});

function keyOf(facts: Partial<FlowControlKey>): FlowControlKey {
  return {
    flowControlKey: "stripe",
    waitListSize: 0,
    parallelismMax: 0,
    parallelismCount: 0,
    rateMax: 0,
    rateCount: 0,
    ratePeriod: 1,
    ratePeriodStart: 0,
    isPaused: false,
    isPinnedParallelism: false,
    isPinnedRate: false,
    ...facts,
  };
}
