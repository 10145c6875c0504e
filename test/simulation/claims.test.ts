import assert from "node:assert/strict";
import { test } from "node:test";

import type { Outcome } from "../../src/core/model/attempt.ts";
import { newMessage } from "../../src/core/rules/compose-message.ts";
import type { Courier } from "../../src/delivery/courier.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import { createIds } from "../../src/platform/ids.ts";
import { Bell } from "../../src/store/bell.ts";
import { RunLists } from "../../src/store/run-lists.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { aPublish, aPublishItem } from "../support/messages.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const MESSAGES = 300;
const SEND_MS = 10;
/** More than a few claims look at. */
const LINES = 1_000;
/** Of a host that nobody has heard of. */
const HOST_SLOTS = 32;

test("a backlog for one host moves as fast as its slots come free", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await publishBacklog(store, time.now, MESSAGES);
  const bell = new Bell();
  let delivered = 0;
  const engine = engineOn(slowToClaim(store, time, SEND_MS + 5), time, {
    bell,
    onAttempt: () => (delivered += 1),
  });
  await engine.start();
  // Rounds of thirty-two and more at a time, and not one wait for the next look.
  await time.runUntil(time.now + 90 * SEND_MS);
  assert.equal(delivered, MESSAGES);

  // The host has earned more slots by now, and nothing of it is under way.
  await publishBacklog(store, time.now, MESSAGES);
  bell.ring();
  await time.runUntil(time.now + 90 * SEND_MS);
  assert.equal(delivered, 2 * MESSAGES);
});

test("lines in which nobody waits do not keep the others waiting", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const names = Array.from({ length: LINES }, (_, place) => `cancelled-${place}`);
  const keys = names.map((messageId) => ({ accountId: "one", messageId }));
  await store.act(aPublish(time.now, ...keys.map((key) => aPublishItem({ ...key, url: at(key) }))));
  await store.act({ rule: "cancel", at: time.now, keys });
  await time.runUntil(time.now + 1);
  await publishBacklog(store, time.now, 1);
  let delivered = 0;
  const engine = engineOn(store, time, { onAttempt: () => (delivered += 1) });
  await engine.start();
  await time.runUntil(time.now + 2 * SEND_MS);
  assert.equal(delivered, 1);
});

test("a host that has answered is sent more, though what it said is not stored yet", async () => {
  for (const slots of [MESSAGES, 100]) {
    const time = new SimulatedTime();
    const store = await openStore(time);
    await publishBacklog(store, time.now, MESSAGES);
    let sent = 0;
    const settleMs = 200 * SEND_MS;
    const engine = engineOn(slowToSettle(store, time, settleMs), time, {
      courier: answering(time, () => (sent += 1)),
      limits: { ...LIMITS, slots },
    });
    await engine.start();
    await time.runUntil(time.now + settleMs / 2);
    assert.equal(sent, slots, "as many as the node has slots");
    await time.runUntil(time.now + 10 * settleMs);
    assert.equal(sent, MESSAGES);
  }
});

test("a slot of the node that comes free after its host's is used at once", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await publishBacklog(store, time.now, 2 * HOST_SLOTS);
  let sent = 0;
  const engine = engineOn(slowToSettle(store, time, 5 * SEND_MS), time, {
    courier: answering(time, () => (sent += 1)),
    limits: { ...LIMITS, slots: HOST_SLOTS },
  });
  await engine.start();
  await time.runUntil(time.now + 10 * SEND_MS);
  assert.equal(sent, 2 * HOST_SLOTS);
});

test("who stands in a line of their own need not wait for others, but leaves them slots", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const lines = Array.from({ length: LINES }, (_, place) => ({ messageId: `waiting-${place}` }));
  const items = lines.map((key) => aPublishItem({ ...key, url: at(key) }));
  await store.act(aPublish(time.now, ...items));
  const claimMs = 5 * SEND_MS;
  const engine = engineOn(slowToClaim(store, time, claimMs), time, {});
  await engine.start();
  await time.runUntil(time.now + 2 * claimMs - 1);
  const reserve = (host: string, isInLine: boolean) =>
    engine.handOver.reserve({ host, bytes: 0, isInLine });
  assert.equal(reserve("idle.test", false), null, "others wait for a slot");
  const granted = Array.from({ length: HOST_SLOTS }, () => reserve("idle.test", true));
  assert.equal(granted.filter((slot) => slot !== null).length, (HOST_SLOTS * 3) / 4);
  await time.runUntil(time.now + 50 * claimMs);
  assert.ok(reserve("idle.test", false), "nobody waits any more");
});

test("a claim whose answer came too late is given back, and nothing of it is sent", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await publishBacklog(store, time.now, 1);
  const attempts: number[] = [];
  // The machine was asleep: only the clock on the wall shows it.
  const clock = { ...time.clock(), monotonic: () => 0 };
  const engine = engineOn(slowToClaim(store, time, 10_001, 0), time, {
    clock,
    onAttempt: ({ number }) => attempts.push(number),
  });
  await engine.start();
  await time.runUntil(time.now + 20_000);
  const { items } = await store.reader.log("one", {}, LOG_PAGE);
  assert.deepEqual(
    items.map(({ entry }) => entry.state),
    ["CREATED", "ACTIVE", "ACTIVE", "DELIVERED"],
  );
  assert.deepEqual(attempts, [1]);
});

/** A host of its own for each, and so a line. */
const at = ({ messageId }: { messageId: string }): string => `https://${messageId}.test/`;

const LOG_PAGE = { after: null, count: 10, order: "earliestFirst" } as const;

function openStore(time: SimulatedTime): Promise<SqliteStore> {
  return SqliteStore.open({
    path: ":memory:",
    clock: time.clock(),
    onFatal: (error) => {
      throw error;
    },
  });
}

/** The real engine, alone on its store, with a destination that always answers. */
function engineOn(store: Store, time: SimulatedTime, more: Partial<EngineOptions>): Engine {
  return new Engine({
    store,
    clock: time.clock(),
    ids: createIds(),
    bell: new Bell(),
    tickBell: new Bell(),
    runLists: new RunLists(),
    account: () => null,
    readDestination: () => ({ problem: "not asked here", refused: false }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    courier: answering(time),
    signingKey: () => "sig_test",
    responseBytesKept: () => 1_000,
    onAttempt: () => undefined,
    onFatal: () => undefined,
    alone: true,
    limits: LIMITS,
    ...more,
  });
}

const LIMITS = {
  slots: 1_000,
  slotsPerHost: 64,
  bytesMax: 1_000_000,
  logBytesMax: 1_000_000_000,
  storedBytesMax: 100_000_000,
};

function answering(time: SimulatedTime, onSend: () => void = () => undefined): Courier {
  const outcome = async (): Promise<Outcome> => {
    onSend();
    await time.clock().sleep(SEND_MS);
    return { kind: "answer", status: 200, headers: [], body: new Uint8Array(0) };
  };
  return {
    close: () => Promise.resolve(),
    send: () => ({ outcome: outcome(), abort: () => undefined }),
  };
}

/** It takes a while until what became of a message is stored. */
function slowToSettle(store: Store, time: SimulatedTime, waitMs: number): Store {
  return {
    ...slowToClaim(store, time, 0),
    act: async (act) => {
      if (act.rule === "settle") await time.clock().sleep(waitMs);
      return store.act(act);
    },
  };
}

/** Slots come free while a claim is on its way, as they do when it takes a while. */
function slowToClaim(store: Store, time: SimulatedTime, firstMs: number, laterMs = firstMs): Store {
  let waitMs = firstMs;
  return {
    reader: store.reader,
    clock: store.clock,
    woken: store.woken,
    act: (act) => store.act(act),
    claim: async (request) => {
      const claim = await store.claim(request);
      await time.clock().sleep(waitMs);
      waitMs = laterMs;
      return claim;
    },
    leased: (granted) => store.leased(granted),
    takeOver: (request) => store.takeOver(request),
    beat: (nodeId) => store.beat(nodeId),
    sweep: (request) => store.sweep(request),
    sweepAccount: (request) => store.sweepAccount(request),
    close: () => store.close(),
  };
}

async function publishBacklog(store: Store, now: number, count: number): Promise<void> {
  const ids = createIds();
  const items = Array.from({ length: count }, () => ({
    message: newMessage(
      {
        accountId: "one",
        messageId: ids.sortable("msg_", now),
        kind: "publish",
        dialect: "svc",
        url: "https://busy.test/",
        method: "POST",
        headers: [],
        timeoutMs: 1_000,
        retries: 0,
        callerIp: "127.0.0.1",
        createdAt: now,
        notBefore: now,
      },
      "busy.test",
      new Uint8Array(0),
      null,
    ),
    deduplication: null,
  }));
  await store.act({ rule: "publish", at: now, items });
}
