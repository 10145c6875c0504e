/** One listener of the log; `log-streams.test.ts` has the many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { type FeedEntry, type FeedPage, LogFeed } from "./log-feed.ts";
import { LogStream, type StreamBatch } from "./log-streams.ts";

const numbersOf = (batch: StreamBatch | null): number[] | undefined =>
  batch?.entries.map(({ number }) => number);
const entry = (number: number): FeedEntry => ({ number, text: String(number) });
const page = (...numbers: number[]) => ({ entries: numbers.map(entry), upTo: numbers.at(-1)! });

type Reads = Readonly<Record<number, FeedPage>>;

/** One stream over a feed; `read` gives what it reads by itself. */
function listen(position: number, feed: LogFeed, read: Reads = {}) {
  const clock = new ManualClock();
  const state = { ended: 0, atEnd: 0, readAfter: [] as number[] };
  const stream = new LogStream(feed, {
    position,
    read: (after) => {
      state.readAfter.push(after);
      return Promise.resolve(read[after]!);
    },
    after: (ms, action) => clock.after(ms, action),
    onAtEnd: () => (state.atEnd += 1),
    onClose: () => (state.ended += 1),
  });
  return { clock, state, stream };
}

test("a stream reads by itself up to what the feed holds, then the feed", async () => {
  const feed = new LogFeed(10);
  feed.add(page(11, 12));
  const { state, stream } = listen(5, feed, { 5: page(6, 8), 8: { entries: [], upTo: 10 } });
  assert.deepEqual(numbersOf(await stream.next(0)), [6, 8]);
  assert.equal(stream.position, 8);
  assert.deepEqual(numbersOf(await stream.next(0)), [11, 12]);
  assert.deepEqual(state.readAfter, [5, 8]);
  assert.deepEqual([stream.position, stream.isAtEnd, state.atEnd], [12, true, 1]);
});

test("a stream that is ahead of the feed is sent nothing again", async () => {
  const feed = new LogFeed(10);
  const { stream } = listen(12, feed);
  const next = stream.next(10_000);
  feed.add(page(11, 12));
  stream.wake();
  assert.deepEqual(await next, null);
  feed.add(page(13));
  assert.deepEqual(numbersOf(await stream.next(0)), [13]);
});

test("a stream that was read too slowly is told how much it missed, once", async () => {
  const feed = new LogFeed(0);
  const { state, stream } = listen(0, feed);
  const waiting = stream.next(10_000);
  for (let number = 1; number <= 560; number++) feed.add(page(number));
  stream.wake();
  const first = await waiting;
  assert.deepEqual([first?.skipped, numbersOf(first)?.[0], state.atEnd], [60, 61, 0]);
  const second = await Promise.race([stream.next(0), turn(null)]);
  assert.deepEqual([second?.skipped, numbersOf(second)?.[0]], [0, 111]);
});

test("a stream waits until it is woken or its time is over, each time anew", async () => {
  const feed = new LogFeed(0);
  const { clock, stream } = listen(0, feed);
  const none = stream.next(1_000);
  await turn();
  clock.advance(1_000);
  assert.equal(await none, null);
  const one = stream.next(1_000);
  await turn();
  feed.add(page(1));
  stream.wake();
  assert.deepEqual(numbersOf(await one), [1]);
  const two = stream.next(5_000);
  await turn();
  clock.advance(1_000);
  feed.add(page(2));
  stream.wake();
  assert.deepEqual(numbersOf(await two), [2]);
});

test("a stream that is closed ends once, and what it waits for too", async () => {
  const { state, stream } = listen(0, new LogFeed(0));
  const waiting = stream.next(10_000);
  await turn();
  stream.close();
  stream.close();
  assert.equal(await waiting, null);
  assert.equal(await stream.next(10_000), null);
  assert.deepEqual([state.ended, stream.isClosed], [1, true]);
});
