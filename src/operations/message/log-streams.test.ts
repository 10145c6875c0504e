import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import type { Problem } from "../../core/problem.ts";
import type { Log } from "../../platform/log.ts";
import type { Store } from "../../store/store.ts";
import { type LogStream, LogStreams } from "./log-streams.ts";

/** On a node, over all accounts. */
const STREAMS_MAX = 200;

const emptyLog = () => Promise.resolve({ items: [], next: null });

function open() {
  const clock = new ManualClock();
  const state = { reads: 0, isAnswering: true };
  const logEnd = (): Promise<unknown> => {
    state.reads += 1;
    return state.isAnswering
      ? Promise.resolve({ number: 0, writes: null })
      : Promise.reject(new Error("the store does not answer"));
  };
  const store = { reader: { upkeep: { logEnd }, messages: { log: emptyLog } } } as unknown as Store;
  const quiet = { warn: () => undefined } as unknown as Log;
  return { clock, state, streams: new LogStreams({ store, clock }, quiet) };
}

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
  assert.deepEqual(
    opened.map(({ isClosed }) => isClosed),
    [true, true],
  );
  await assert.rejects(streams.open(accountWith(2), null), /the service is stopping/);
});
