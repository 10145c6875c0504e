import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { aMessage, anAccount, START_AT } from "../../../test/support/messages.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import type { Problem } from "../../core/problem.ts";
import type { Log } from "../../platform/log.ts";
import type { LoggedMessage } from "../../store/reader/messages.ts";
import type { LogEnd } from "../../store/reader/upkeep.ts";
import type { Store } from "../../store/store.ts";
import { type LogStream, LogStreams, type StreamBatch } from "./log-streams.ts";

/** On a node, over all accounts. */
const STREAMS_MAX = 200;
const POLL_MS = 250;

/** Streams of a log that holds an entry for each number up to `state.number`, and none of the account "quiet". */
function open() {
  const clock = new ManualClock();
  const writes = null as LogEnd["writes"];
  const state = { reads: 0, isAnswering: true, number: 0, writes, readAfter: [] as number[] };
  const logEnd = (): Promise<unknown> => {
    state.reads += 1;
    return state.isAnswering
      ? Promise.resolve({ number: state.number, writes: state.writes })
      : Promise.reject(new Error("the store does not answer"));
  };
  const log = (accountId: string, _filter: object, page: { after: string; count: number }) => {
    const after = Number(page.after);
    state.readAfter.push(after);
    if (accountId === "quiet") return Promise.resolve({ items: [], next: null });
    const last = Math.min(state.number, after + page.count);
    const items = Array.from({ length: Math.max(0, last - after) }, (_, index) =>
      logged(after + index + 1),
    );
    return Promise.resolve({ items, next: last < state.number ? String(last) : null });
  };
  const store = { reader: { upkeep: { logEnd }, messages: { log } } } as unknown as Store;
  const quiet = { warn: () => undefined } as unknown as Log;
  return {
    clock,
    state,
    streams: new LogStreams({ store, clock, cursorSecrets: () => ["secret"] }, quiet),
  };
}

function logged(number: number): LoggedMessage {
  const message = aMessage();
  const { accountId, messageId } = message;
  const entry = { accountId, messageId, at: START_AT, state: "CREATED" } as const;
  return { number, entry, message, body: new Uint8Array(), attempt: null };
}

/** Lets what has been begun continue, without a moment passing. */
async function settle(clock: ManualClock): Promise<void> {
  for (let turns = 0; turns < 5; turns++) {
    await turn();
    clock.advance(0);
  }
}

const numbersOf = (batch: StreamBatch | null): number[] | undefined =>
  batch?.entries.map(({ number }) => number);

function accountWith(streamsMax: number, accountId = "account"): AccountRecord {
  return anAccount({ accountId, overrides: { streamsMax } });
}

/** Opens several at once; answers those that were let in, and the sentences of the others. */
async function openAtOnce(
  streams: LogStreams,
  account: AccountRecord,
  count: number,
): Promise<{ readonly opened: LogStream[]; readonly refused: string[] }> {
  const settled = await Promise.allSettled(
    Array.from({ length: count }, () => streams.open(account, null)),
  );
  const opened = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const refused = settled.flatMap((one) =>
    one.status === "rejected" ? [(one.reason as Problem).message] : [],
  );
  return { opened, refused };
}

test("of streams that open at once, as many are let in as the account may have", async () => {
  const { streams } = open();
  const { opened, refused } = await openAtOnce(streams, accountWith(2), 5);
  assert.equal(opened.length, 2);
  assert.deepEqual(new Set(refused), new Set(["quota maxStreams exceeded, current limit: 2"]));
  streams.close();
});

test("a refused stream takes no place: neither of its account nor of the node", async () => {
  const { streams } = open();
  const account = accountWith(1);
  for (let round = 0; round < STREAMS_MAX; round++) {
    const { opened, refused } = await openAtOnce(streams, account, 3);
    assert.deepEqual([opened.length, refused.length], [1, 2], `round ${round}`);
    assert.match(refused.join(), /^quota maxStreams/);
    opened[0]!.close();
    // Closing it again gives back nothing.
    opened[0]!.close();
  }
  const all = await Promise.all(
    Array.from({ length: STREAMS_MAX }, (_, number) =>
      streams.open(accountWith(1, `account-${number}`), null),
    ),
  );
  await assert.rejects(streams.open(accountWith(1, "one-more"), null), /too many live streams/);
  all[0]!.close();
  await streams.open(accountWith(1, "one-more"), null);
  streams.close();
});

test("a stream that could not be opened takes no place, and is refused in time", async () => {
  const { clock, state, streams } = open();
  state.isAnswering = false;
  const account = accountWith(1);
  for (let round = 0; round < 3; round++) {
    const opening = openAtOnce(streams, account, 100);
    for (let passed = 0; passed < 40; passed++) {
      await turn();
      clock.advance(500);
    }
    const { refused } = await opening;
    assert.equal(refused.length, 100);
    assert.match(refused.join(), /^the end of the log is not known yet/);
    const { reads } = state;
    clock.advance(10_000);
    await settle(clock);
    assert.equal(state.reads, reads);
  }
  state.isAnswering = true;
  assert.equal((await openAtOnce(streams, account, 1)).opened.length, 1);
  streams.close();
});

test("the log is read while there is a stream, and not after the last", async () => {
  const { clock, state, streams } = open();
  const { opened } = await openAtOnce(streams, accountWith(3), 5);
  const pass = async (): Promise<number> => {
    const before = state.reads;
    for (let passed = 0; passed < 4; passed++) {
      clock.advance(250);
      await turn();
    }
    return state.reads - before;
  };
  opened[0]!.close();
  assert.ok((await pass()) > 0);
  for (const stream of opened) stream.close();
  await turn();
  assert.equal(await pass(), 0);
});

test("after the end of all streams none is opened", async () => {
  const { streams } = open();
  const { opened } = await openAtOnce(streams, accountWith(2), 2);
  streams.close();
  assert.equal(opened.filter(({ isClosed }) => isClosed).length, 2);
  await assert.rejects(streams.open(accountWith(2), null), /the service is stopping/);
});

test("what is new is read once for all streams of an account, within a quarter of a second", async () => {
  const { clock, state, streams } = open();
  state.number = 7;
  const { opened } = await openAtOnce(streams, accountWith(2), 2);
  const waiting = opened.map((stream) => stream.next(10_000));
  for (let polls = 0; polls < 3; polls++) {
    clock.advance(POLL_MS);
    await settle(clock);
  }
  assert.deepEqual(state.readAfter, []);
  assert.equal(state.reads, 4);
  state.number = 9;
  clock.advance(POLL_MS);
  assert.deepEqual((await Promise.all(waiting)).map(numbersOf), [
    [8, 9],
    [8, 9],
  ]);
  assert.deepEqual(state.readAfter, [7]);
  streams.close();
});

test("a stream of what follows a position reads up to the end, page after page", async () => {
  const { clock, state, streams } = open();
  state.number = 120;
  const stream = await streams.open(accountWith(1), 10);
  const got: number[] = [];
  while (got.length < 110) got.push(...numbersOf(await stream.next(0))!);
  assert.deepEqual([got[0], got.at(-1), new Set(got).size], [11, 120, 110]);
  const more = stream.next(10_000);
  await settle(clock);
  state.number = 180;
  state.readAfter = [];
  clock.advance(POLL_MS);
  assert.deepEqual((await more)?.entries.length, 50);
  // The rest does not wait for the next poll.
  assert.deepEqual(numbersOf(await stream.next(10_000))?.at(-1), 180);
  assert.deepEqual(state.readAfter, [120, 170]);
  streams.close();
});

test("a stream that is not read does not hold back another of its account", async () => {
  const { clock, state, streams } = open();
  const { opened } = await openAtOnce(streams, accountWith(2), 2);
  const [slow, quick] = opened;
  await Promise.all([slow!.next(0), quick!.next(0), settle(clock)]);
  for (const number of [1, 2, 3]) {
    const next = quick!.next(10_000);
    await settle(clock);
    state.number = number;
    clock.advance(POLL_MS);
    assert.deepEqual(numbersOf(await next), [number]);
  }
  assert.deepEqual(numbersOf(await slow!.next(0)), [1, 2, 3]);
  streams.close();
});

test("an account with much that is new does not hold back another", async () => {
  const { clock, state, streams } = open();
  const accounts = [accountWith(1, "busy"), accountWith(1)];
  const opened = await Promise.all(accounts.map((account) => streams.open(account, null)));
  const waiting = opened.map((stream) => stream.next(10_000));
  await settle(clock);
  state.number = 60;
  clock.advance(POLL_MS);
  for (const next of waiting) assert.equal(numbersOf(await next)?.at(-1), 50);
  assert.deepEqual(state.readAfter.slice(0, 2), [0, 0]);
  streams.close();
});

test("what other accounts do wakes no stream", async () => {
  const { clock, state, streams } = open();
  const next = (await streams.open(accountWith(1, "quiet"), null)).next(10_000);
  await settle(clock);
  state.number = 9;
  clock.advance(POLL_MS);
  await settle(clock);
  assert.deepEqual(state.readAfter, [0]);
  assert.equal(await Promise.race([next, turn("it waits")]), "it waits");
  streams.close();
});

test("an end that is not known yet is asked for a few times a second", async () => {
  const { clock, state, streams } = open();
  state.writes = { next: 1, oldest: 0 };
  const opening = openAtOnce(streams, accountWith(1), 1);
  for (let polls = 0; polls < 4; polls++) {
    await settle(clock);
    clock.advance(POLL_MS);
  }
  assert.equal(state.reads, 4);
  streams.close();
  await opening;
});

test("the log is not read on for streams that are all behind", async () => {
  const { clock, state, streams } = open();
  const stream = await streams.open(accountWith(1), null);
  const first = stream.next(10_000);
  await settle(clock);
  for (const number of [10, 20, 30]) {
    state.number = number;
    clock.advance(POLL_MS);
    await settle(clock);
  }
  assert.deepEqual(state.readAfter, [0, 10]);
  assert.equal(numbersOf(await first)?.at(-1), 10);
  assert.equal(numbersOf(await stream.next(0))?.at(-1), 20);
  assert.equal(numbersOf(await stream.next(10_000))?.at(-1), 30);
  streams.close();
});

test("after a pause a new stream begins at the end of the log, and reads nothing before it", async () => {
  const { clock, state, streams } = open();
  const account = accountWith(1);
  (await streams.open(account, null)).close();
  await settle(clock);
  state.number = 1_000;
  const stream = await streams.open(account, null);
  assert.equal(stream.position, 1_000);
  const next = stream.next(10_000);
  await settle(clock);
  state.number = 1_001;
  clock.advance(POLL_MS);
  assert.deepEqual(numbersOf(await next), [1_001]);
  assert.deepEqual(state.readAfter, [1_000]);
  streams.close();
});

test("streams that are being opened are refused when the service stops", async () => {
  const { state, streams } = open();
  state.isAnswering = false;
  const opening = openAtOnce(streams, accountWith(3), 3);
  await turn();
  streams.close();
  assert.equal((await opening).refused.length, 3);
});
