import assert from "node:assert/strict";
import * as fc from "fast-check";
import { test } from "node:test";
import { aMessage, anAccount, START_AT } from "../../../test/support/messages.ts";
import type { LoggedMessage, MessageReader } from "../../store/reader/messages.ts";
import { type FeedEntry, LogFeed, readFeed, SettledLog } from "./log-feed.ts";

const entries = (from: number, to: number, bytes = 10): FeedEntry[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    number: from + index,
    text: "x".repeat(bytes),
  }));

test("a reader takes what it has not had, a page at a time", () => {
  const feed = new LogFeed(0);
  feed.add({ entries: entries(1, 60), upTo: 60 });
  const first = feed.take(0);
  assert.deepEqual([first.entries.length, first.skipped], [50, 0]);
  assert.deepEqual(
    feed.take(50).entries.map(({ number }) => number),
    [51, 52, 53, 54, 55, 56, 57, 58, 59, 60],
  );
  assert.deepEqual(feed.take(60).entries, []);
});

test("a reader who is behind what is kept learns how much it missed", () => {
  const feed = new LogFeed(0);
  for (let page = 0; page < 30; page++) {
    feed.add({ entries: entries(page * 20 + 1, page * 20 + 20), upTo: page * 20 + 20 });
  }
  const { entries: taken, skipped } = feed.take(10);
  assert.equal(skipped, 90);
  assert.equal(taken[0]?.number, 101);
  assert.equal(feed.start, 100);
  assert.deepEqual([feed.count, feed.countUpTo(100), feed.countUpTo(150)], [600, 100, 150]);
});

test("a large page stays whole for the reader at the end, and is dropped with the next", () => {
  const feed = new LogFeed(0);
  feed.add({ entries: entries(1, 3, 300_000), upTo: 3 });
  assert.deepEqual([feed.take(0).entries.length, feed.take(0).skipped], [3, 0]);
  feed.add({ entries: entries(4, 4), upTo: 4 });
  assert.deepEqual([feed.take(3).entries.length, feed.take(3).skipped], [1, 0]);
  assert.equal(feed.take(0).skipped, 3);
});

test("entries are read up to the last number that has settled", async () => {
  assert.deepEqual(await numbers(2, null), [[1, 2], 2]);
  assert.deepEqual(await numbers(0, null), [[], 0]);
  // Entries of other accounts follow, and have settled too.
  assert.deepEqual(await numbers(9, null), [[1, 2, 3], 9]);
  assert.deepEqual(await numbers(9, "3"), [[1, 2, 3], 3]);
});

test("a reader ahead of what has settled stays where it is", async () => {
  assert.deepEqual(await numbers(5, "13", { from: 11, after: 10 }), [[], 10]);
  assert.deepEqual(await numbers(5, null, { from: 11, after: 10 }), [[], 10]);
  assert.deepEqual(await numbers(2, "3"), [[1, 2], 2]);
});

test("a page ends after the entry with which it is full, and the next begins behind it", async () => {
  const bodyBytes = 50_000;
  assert.deepEqual(await numbers(9, null, { bodyBytes }), [[1, 2], 2]);
  assert.deepEqual(await numbers(9, null, { from: 3, after: 2, bodyBytes }), [[3, 4], 4]);
  const small = await numbers(9, null, { bodyBytes: 30_000 });
  assert.deepEqual(small, [[1, 2, 3], 9]);
});

test("a feed begins at its position, and ends where it was read up to", () => {
  const feed = new LogFeed(7);
  assert.deepEqual([feed.start, feed.end, feed.count], [7, 7, 0]);
  feed.add({ entries: entries(8, 9), upTo: 12 });
  assert.deepEqual([feed.start, feed.end, feed.count], [7, 12, 2]);
  assert.deepEqual([feed.countUpTo(7), feed.countUpTo(8), feed.countUpTo(12)], [0, 1, 2]);
});

test("it keeps as many entries, and as many bytes, as it may", () => {
  const many = new LogFeed(0);
  for (let page = 0; page < 10; page++) {
    many.add({ entries: entries(page * 50 + 1, page * 50 + 50), upTo: page * 50 + 50 });
  }
  assert.equal(many.start, 0);
  many.add({ entries: entries(501, 501), upTo: 501 });
  assert.equal(many.start, 1);
  const large = new LogFeed(0);
  const bytes = 64 * 1024;
  for (let number = 1; number <= 20; number++) {
    large.add({ entries: entries(number, number, bytes), upTo: number });
    assert.equal(large.start, Math.max(0, number - 4), `after ${number}`);
  }
});

/** The numbers of the entries that are read, and the position after them. */
async function numbers(
  settled: number,
  next: string | null,
  { from = 1, after = 0, bodyBytes = 0 } = {},
): Promise<unknown[]> {
  const items = [from, from + 1, from + 2].map((number) => logged(number, bodyBytes));
  const log = (...[, , page]: Parameters<MessageReader["log"]>) => {
    assert.equal(page.bodyBytesMax, anAccount().limits.eventBytesMax);
    return Promise.resolve({ items, next });
  };
  const { entries: found, upTo } = await readFeed(
    { messages: { log }, cursorSecrets: () => ["secret"] },
    anAccount(),
    after,
    settled,
  );
  return [found.map(({ number }) => number), upTo];
}

function logged(number: number, bodyBytes: number): LoggedMessage {
  const message = aMessage();
  const { accountId, messageId } = message;
  const entry = { accountId, messageId, at: START_AT, state: "CREATED" } as const;
  return { number, entry, message, body: new Uint8Array(bodyBytes), attempt: null };
}

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
