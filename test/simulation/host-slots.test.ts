/** Messages that were promised a slot of their host while they were stored. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import type { Outcome } from "../../src/core/model/message/attempt.ts";
import type { Courier } from "../../src/delivery/courier.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import type { Store } from "../../src/store/store.ts";
import { aLeasedMessage, aPublish, aPublishItem } from "../support/messages.ts";
import { engineOn, HOST_SLOTS, openStore, SEND_MS } from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const URL = "https://busy.test/";
const ANSWERED: Outcome = { kind: "answer", status: 200, headers: [], body: new Uint8Array(0) };
const NOTHING: Outcome = { kind: "no-answer", error: "nothing came", final: false };
/** More than the host has slots for are started at once, of which so many come later. */
const LATER = 10;

test("promises that are kept at once take turns, and no host gets more than it may", async () => {
  const { time, courier, startTooMany } = await scene(ANSWERED);
  await startTooMany();
  assert.equal(courier.sent.length, HOST_SLOTS);
  await time.runUntil(time.now + SEND_MS);
  assert.equal(courier.sent.length, HOST_SLOTS + LATER);
  await time.runUntil(time.now + SEND_MS);
  assert.equal(courier.answered, HOST_SLOTS + LATER);
});

test("a host is promised no more than it may have under way", async () => {
  const { promise } = await scene(ANSWERED);
  const starts = await Promise.all(
    Array.from({ length: HOST_SLOTS + 1 }, (_, index) => promise(`message-${index}`)),
  );
  assert.equal(starts.filter((start) => start !== null).length, HOST_SLOTS);
  assert.equal(starts.at(-1), null);
});

test("a host that has fallen silent is claimed again", async () => {
  const { time, store, courier, startTooMany } = await scene(NOTHING);
  const ids = await startTooMany();
  await time.runUntil(time.now + SEND_MS);
  const last = ids.at(-1)!;
  assert.ok(!courier.sent.includes(last));
  await time.runUntil(time.now + 100 * SEND_MS);
  assert.ok(courier.sent.includes(last));
  assert.deepEqual((await statesOf(store, last)).slice(0, 3), ["CREATED", "ACTIVE", "ACTIVE"]);
});

test("a stop gives back at once what waits for its host, and sends none of it", async () => {
  const { time, engine, store, courier, startTooMany } = await scene(ANSWERED);
  const ids = await startTooMany();
  const stopped = engine.stop(100 * SEND_MS);
  await time.runUntil(time.now + 2 * SEND_MS);
  await stopped;
  assert.equal(courier.sent.length, HOST_SLOTS);
  assert.deepEqual(await claimable(store, time.now), ids.slice(HOST_SLOTS).toSorted());
});

test("a node that others may take for dead gives back at once what waits for its host", async () => {
  const { time, store, startTooMany } = await scene(ANSWERED, 60_000, { alone: false });
  const ids = await startTooMany();
  mock.method(store, "beat", () => Promise.reject(new Error("the store is away")));
  await time.runUntil(time.now + 25_000);
  assert.deepEqual(await claimable(store, time.now), ids.slice(HOST_SLOTS).toSorted());
});

interface Scene {
  readonly time: SimulatedTime;
  readonly store: Store;
  readonly engine: Engine;
  readonly courier: WatchedCourier;
  readonly promise: (messageId: string) => Promise<(() => void) | null>;
  readonly startTooMany: () => Promise<string[]>;
}

async function scene(
  outcome: Outcome,
  sendMs = SEND_MS,
  more: Partial<EngineOptions> = {},
): Promise<Scene> {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const courier = new WatchedCourier(time, outcome, sendMs);
  const engine = engineOn(store, time, { courier, ...more });
  await engine.start();
  await time.runUntil(time.now + 1);
  const promise = (id: string) => promised(engine, store, time.now, id);
  return {
    time,
    store,
    engine,
    courier,
    promise,
    startTooMany: async () => {
      const ids = Array.from({ length: HOST_SLOTS + LATER }, (_, index) => `message-${index}`);
      const starts: ((() => void) | null)[] = [];
      for (const id of ids) {
        // Some are under way already when the last ones are promised their slot.
        if (starts.length === HOST_SLOTS) for (const start of starts.splice(0, LATER)) start?.();
        starts.push(await promise(id));
      }
      for (const start of starts) {
        assert.ok(start);
        start();
      }
      await time.runUntil(time.now);
      return ids;
    },
  };
}

/** Reserves a slot and stores a message in its name, as publishing does. Null where there is none. */
async function promised(
  engine: Engine,
  store: Store,
  now: number,
  messageId: string,
): Promise<(() => void) | null> {
  const slot = engine.handOver.reserve({
    accountId: "one",
    host: "busy.test",
    bytes: 5,
    isInLine: false,
  });
  if (slot === null) return null;
  const wish = { accountId: "one", messageId, url: URL, createdAt: now };
  await store.act(aPublish(now, aPublishItem({ ...wish, leasedBy: slot.nodeId })));
  return () => slot.start(aLeasedMessage(wish));
}

/** Every attempt ends in the same way, after the same time. */
class WatchedCourier implements Courier {
  readonly sent: string[] = [];
  answered = 0;
  readonly #time: SimulatedTime;
  readonly #outcome: Outcome;
  readonly #sendMs: number;

  constructor(time: SimulatedTime, outcome: Outcome, sendMs: number) {
    this.#time = time;
    this.#outcome = outcome;
    this.#sendMs = sendMs;
  }

  send: Courier["send"] = ({ message }) => {
    this.sent.push(message.messageId);
    const outcome = async (): Promise<Outcome> => {
      await this.#time.clock().sleep(this.#sendMs);
      this.answered += 1;
      return this.#outcome;
    };
    return { outcome: outcome(), abort: () => undefined };
  };

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The ids of what another node finds waiting. */
async function claimable(store: Store, now: number): Promise<string[]> {
  const request = { nodeId: "another", now, aheadMs: 0, fullHosts: [], bytesMax: 1_000_000 };
  const { leased } = await store.claim({ ...request, slots: 100, retrySlots: 100 });
  return leased.map(({ message }) => message.messageId).toSorted();
}

async function statesOf(store: Store, messageId: string): Promise<string[]> {
  const page = { after: null, count: 100, order: "earliestFirst" } as const;
  const { items } = await store.reader.messages.log("one", { messageIds: [messageId] }, page);
  return items.map(({ entry }) => entry.state);
}
