import assert from "node:assert/strict";
import { test } from "node:test";

import { aMessage, anAccount, START_AT } from "../../../test/support/messages.ts";
import type { LoggedMessage } from "../../store/reader/messages.ts";
import { type FeedEntry, LogFeed, readFeed } from "./log-feed.ts";

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

/** The numbers of the entries that are read, and the position after them. */
async function numbers(settled: number, next: string | null): Promise<unknown[]> {
  const log = () => Promise.resolve({ items: [1, 2, 3].map(logged), next });
  const { entries: found, upTo } = await readFeed({ log }, anAccount(), 0, settled);
  return [found.map(({ number }) => number), upTo];
}

function logged(number: number): LoggedMessage {
  const message = aMessage();
  const { accountId, messageId } = message;
  const entry = { accountId, messageId, at: START_AT, state: "CREATED" } as const;
  return { number, entry, message, body: new Uint8Array(), attempt: null };
}
