import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { SettledLog } from "./settled-log.ts";

test("where entries are committed in order, all of them are settled", () => {
  const log = new SettledLog();
  log.observe({ number: 7, writes: null }, 0);
  assert.equal(log.number, 7);
});

test("a number waits for the transactions that were under way after it was seen", () => {
  const log = new SettledLog();
  log.observe({ number: 10, writes: { oldest: 5, next: 6 } }, 0);
  assert.equal(log.number, null);
  log.observe({ number: 20, writes: { oldest: 5, next: 8 } }, 1);
  assert.equal(log.number, null);
  log.observe({ number: 20, writes: { oldest: 7, next: 9 } }, 2);
  assert.equal(log.number, null, "transaction 7 may have taken a number up to 10");
  log.observe({ number: 20, writes: { oldest: 8, next: 9 } }, 3);
  assert.equal(log.number, 10);
  log.observe({ number: 20, writes: { oldest: 9, next: 9 } }, 4);
  assert.equal(log.number, 20);
});

test("a transaction that never ends holds the log back for two minutes", () => {
  const log = new SettledLog();
  for (const [nowMs, expected] of [
    [5_000_000, null],
    [5_120_000, null],
    [5_120_001, 10],
  ] as const) {
    log.observe({ number: 10, writes: { oldest: 1, next: 5 } }, nowMs);
    assert.equal(log.number, expected);
  }
});

test("of numbers that settle at once the greatest counts", () => {
  const log = new SettledLog();
  log.observe({ number: 10, writes: { oldest: 5, next: 6 } }, 0);
  log.observe({ number: 20, writes: { oldest: 5, next: 7 } }, 1);
  log.observe({ number: 20, writes: { oldest: 8, next: 8 } }, 2);
  assert.equal(log.number, 20);
});

/** A write takes its number of the log and its own number, at two moments, then commits. */
interface Write {
  number: number;
  id: number | null;
}

test("no entry is committed below a settled number", () => {
  const step = fc.constantFrom("begin", "identify", "commit", "observe", "observe");
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.nat(9)), { maxLength: 200 }), (steps) => {
      const log = new SettledLog();
      const open: Write[] = [];
      let last = 0;
      let nextId = 1;
      for (const [does, which] of steps) {
        const write = open[which % Math.max(1, open.length)];
        if (does === "begin") open.push({ number: ++last, id: null });
        else if (does === "identify" && write?.id === null) write.id = nextId++;
        else if (does === "commit" && write !== undefined && write.id !== null) {
          assert.ok(write.number > (log.number ?? 0), "committed below a settled number");
          open.splice(open.indexOf(write), 1);
        } else if (does === "observe") {
          // A write gets its own number at once after its number of the log.
          const ids = open.flatMap(({ id }) => id ?? []);
          log.observe(
            { number: last, writes: { oldest: Math.min(nextId, ...ids), next: nextId } },
            0,
          );
          for (const each of open) each.id ??= nextId++;
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
