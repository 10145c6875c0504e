import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { nextTurn } from "../../../platform/turn.ts";
import { READ_IDLE_MS_MAX, type Reading, ReaderGone, SlowReader } from "./slow-reader.ts";

/** A response whose caller reads when the test says so. */
class Response extends EventEmitter {
  writableLength = 64 * 1024;
  writableFinished = false;
  destroyed = false;
  socket: object | null = {};

  destroy(): this {
    this.destroyed = true;
    this.emit("close");
    return this;
  }
}

function reading(): { clock: ManualClock; response: Response; reader: SlowReader } {
  const clock = new ManualClock();
  const response = new Response();
  return { clock, response, reader: new SlowReader(response as unknown as Reading, clock) };
}

test("a caller that reads in time may take as long as it needs", async () => {
  const { clock, response, reader } = reading();
  for (let minute = 0; minute < 10; minute++) {
    response.writableLength = 600 * 1024;
    const drained = reader.drain();
    clock.advance(READ_IDLE_MS_MAX - 1);
    response.emit("drain");
    await drained;
  }
  assert.equal(response.destroyed, false);
});

test("one that reads nothing for a while is given up", async () => {
  const { clock, reader } = reading();
  const refusals: unknown[] = [];
  reader.drain().catch((error: unknown) => refusals.push(error));
  clock.advance(READ_IDLE_MS_MAX - 1);
  await nextTurn();
  assert.equal(refusals.length, 0);
  clock.advance(1);
  await nextTurn();
  assert.ok(refusals[0] instanceof ReaderGone);
});

test("one that reads a trickle is given up", async () => {
  const { clock, response, reader } = reading();
  response.writableLength = 1_000;
  const trickle = async (): Promise<void> => {
    for (let read = 0; read < 100; read++) {
      const drained = reader.drain();
      clock.advance(READ_IDLE_MS_MAX - 1);
      response.emit("drain");
      await drained;
    }
  };
  await assert.rejects(trickle(), ReaderGone);
});

test("one that does not read the end, or has hung up, loses its connection", async () => {
  const { clock, response, reader } = reading();
  void reader.finish();
  clock.advance(READ_IDLE_MS_MAX);
  await nextTurn();
  assert.equal(response.destroyed, true);
  await assert.rejects(reader.drain(), ReaderGone);
});

test("behind another response it may wait for its turn as long as that takes", async () => {
  const { clock, response, reader } = reading();
  response.socket = null;
  response.writableLength = 1_000;
  const drained = reader.drain();
  clock.advance(10 * READ_IDLE_MS_MAX);
  response.socket = {};
  response.emit("socket");
  clock.advance(READ_IDLE_MS_MAX - 1);
  response.emit("drain");
  await drained;
  response.socket = null;
  const gone = assert.rejects(reader.drain(), ReaderGone);
  response.emit("socket");
  clock.advance(READ_IDLE_MS_MAX);
  await gone;
});

/** Reads for ten minutes, so much in each second. */
const readFor = async (bytesPerSecond: number): Promise<void> => {
  const { clock, response, reader } = reading();
  for (let seconds = 0; seconds < 600; seconds += 20) {
    response.writableLength = 20 * bytesPerSecond;
    const drained = reader.drain();
    clock.advance(20_000);
    response.emit("drain");
    await drained;
  }
};

test("after a minute 8 kB a second are expected, and not less", async () => {
  await readFor(8 * 1024);
  await assert.rejects(readFor(7 * 1024), ReaderGone);
});

test("a reader that has read leaves no timer and no listener behind", async () => {
  const { clock, response, reader } = reading();
  const drained = reader.drain();
  response.emit("drain");
  await drained;
  assert.deepEqual(response.eventNames(), []);
  const finished = reader.finish();
  response.emit("finish");
  await finished;
  assert.deepEqual(response.eventNames(), []);
  response.writableFinished = true;
  await reader.finish();
  clock.advance(10 * READ_IDLE_MS_MAX);
  assert.equal(response.destroyed, false);
});

test("a response behind another that is given up leaves no listener behind", async () => {
  const { response, reader } = reading();
  response.socket = null;
  const gone = assert.rejects(reader.drain(), ReaderGone);
  response.destroy();
  await gone;
  assert.deepEqual(response.eventNames(), []);
});
