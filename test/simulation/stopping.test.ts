import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Problem } from "../../src/core/problem.ts";
import type { Store } from "../../src/store/store.ts";
import { engineOn, openStore, publishBacklog, SEND_MS } from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const MESSAGES = 10;
const GRACE_MS = 1_000;
/** For what was ended when the time was over to be recorded, and a repetition under way. */
const AFTERWARDS_MS = 5_000;

test("a stop waits for a full disk for its time, and not for ever", async () => {
  const { time, store, engine, disk, errors } = await sentOntoFullDisk();
  let hasStopped = false;
  void engine.stop(GRACE_MS).then(() => (hasStopped = true));
  await time.runUntil(time.now + GRACE_MS);
  assert.equal(hasStopped, false);
  await time.runUntil(time.now + AFTERWARDS_MS);
  assert.equal(hasStopped, true);
  assert.deepEqual(errors, Array<string>(MESSAGES).fill("delivery not settled"));
  disk.isFull = false;
  assert.equal(await leftBehind(store, time.now), MESSAGES);
});

test("what can be recorded again before the time is over is", async () => {
  const { time, store, engine, disk } = await sentOntoFullDisk();
  const stopped = engine.stop(10 * GRACE_MS);
  await time.runUntil(time.now + GRACE_MS);
  disk.isFull = false;
  await time.runUntil(time.now + 2 * GRACE_MS);
  await stopped;
  assert.equal(await leftBehind(store, time.now), 0);
});

test("a start that fails leaves no node in the list", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const failure = new Error("the store went away");
  mock.method(store.reader.upkeep, "counts", () => Promise.reject(failure));
  const engine = engineOn(store, time, {});
  const started = engine.start();
  const refused = assert.rejects(started, failure);
  await time.runUntil(time.now + AFTERWARDS_MS);
  await refused;
  assert.deepEqual(await store.reader.service.nodes(), []);
});

/** All has been sent and answered, and nothing of it could be recorded. */
async function sentOntoFullDisk() {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await publishBacklog(store, time.now, MESSAGES);
  const act = store.act.bind(store);
  const disk = { isFull: true };
  mock.method(store, "act", (...args: Parameters<typeof act>) =>
    disk.isFull ? Promise.reject(new Problem("disk-low", "the disk is full", 5)) : act(...args),
  );
  const errors: string[] = [];
  const engine = engineOn(store, time, {
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (event: string) => errors.push(event),
    },
  });
  await engine.start();
  await time.runUntil(time.now + 2 * SEND_MS);
  return { time, store, engine, disk, errors };
}

/** What the next node finds of this life, as after a crash. */
async function leftBehind(store: Store, now: number): Promise<number> {
  return (await store.takeOver({ nodeId: "next", now, aheadMs: 0, from: "others" })).waiting;
}
