/** Stats are written when a caller asks, and all who ask at once see them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../../test/support/manual-clock.ts";
import { FreshStats } from "./fresh-stats.ts";

test("a call during a write waits for it", async () => {
  const { stats, writes } = started();
  const done: string[] = [];
  const first = stats.record().then(() => done.push("first"));
  const second = stats.record().then(() => done.push("second"));
  await new Promise(setImmediate);
  assert.deepEqual([writes.length, done], [1, []]);
  writes[0]!.resolve(false);
  await Promise.all([first, second]);
  assert.deepEqual(done, ["first", "second"]);
});

test("what was written within five seconds is fresh", async () => {
  const { stats, writes, clock } = started();
  const first = stats.record();
  writes[0]!.resolve(false);
  await first;
  clock.advance(4_999);
  await stats.record();
  assert.equal(writes.length, 1);
  clock.advance(1);
  void stats.record();
  assert.equal(writes.length, 2);
});

test("a write that failed is tried again at the next call", async () => {
  const { stats, writes } = started();
  const first = stats.record();
  writes[0]!.reject(new Error("away"));
  await assert.rejects(first, /away/);
  const second = stats.record();
  writes[1]!.resolve(false);
  await second;
});

function started() {
  const writes: PromiseWithResolvers<boolean>[] = [];
  const clock = new ManualClock();
  const recordStats = (): Promise<boolean> => {
    const write = Promise.withResolvers<boolean>();
    writes.push(write);
    return write.promise;
  };
  return { stats: new FreshStats({ recordStats }, clock), writes, clock };
}
