import assert from "node:assert/strict";
import { test } from "node:test";

import { SteadyClock } from "../../src/platform/due-time-clock.ts";
import { Bell } from "../../src/store/bell.ts";
import { aLeasedMessage, aPublish, aPublishItem } from "../support/messages.ts";
import {
  answering,
  engineOn,
  HOST_SLOTS,
  LIMITS,
  openStore,
  publishBacklog,
  SEND_MS,
  slowToClaim,
  slowToSettle,
} from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const MESSAGES = 300;
/** More than a few claims look at. */
const LINES = 1_000;

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

test("lines without waiting messages do not delay the others", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const names = Array.from({ length: LINES }, (_, index) => `canceled-${index}`);
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
  const lines = Array.from({ length: LINES }, (_, index) => ({ messageId: `waiting-${index}` }));
  const items = lines.map((key) => aPublishItem({ ...key, url: at(key) }));
  await store.act(aPublish(time.now, ...items));
  const claimMs = 5 * SEND_MS;
  const engine = engineOn(slowToClaim(store, time, claimMs), time, {});
  await engine.start();
  await time.runUntil(time.now + 2 * claimMs - 1);
  const reserve = (host: string, isInLine: boolean, accountId = "account") =>
    engine.handOver.reserve({ accountId, host, bytes: 0, isInLine });
  assert.equal(reserve("idle.test", false), null, "others wait for a slot");
  const ofAnother = reserve("idle.test", false, "another");
  assert.ok(ofAnother, "of this account none wait");
  ofAnother.release();
  const granted = Array.from({ length: HOST_SLOTS }, (_, index) => {
    const slot = reserve("idle.test", true);
    slot?.start(aLeasedMessage({ messageId: `idle-${index}`, url: "https://idle.test/" }));
    return slot;
  });
  assert.equal(granted.filter((slot) => slot !== null).length, (HOST_SLOTS * 3) / 4);
  await time.runUntil(time.now + 50 * claimMs);
  assert.ok(reserve("idle.test", false), "no message waits any more");
});

test("new messages do not overtake those that a small claim has left behind", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const bell = new Bell();
  const slow = slowToClaim(store, time, SEND_MS);
  const asked: { slots: number; mayOvertake: boolean }[] = [];
  const mayOvertake = (): boolean => {
    const slot = engine.handOver.reserve({ ...NEW, host: "new.test" });
    slot?.release();
    return slot !== null;
  };
  const claim: typeof store.claim = (request) => {
    asked.push({ slots: request.slots, mayOvertake: mayOvertake() });
    return slow.claim(request);
  };
  const engine = engineOn({ ...slow, claim }, time, { bell });
  await engine.start();
  const publish = async (...keys: { accountId: string; messageId: string }[]): Promise<void> => {
    await store.act(
      aPublish(time.now, ...keys.map((key) => aPublishItem({ ...key, url: at(key) }))),
    );
    bell.ring();
  };
  await publish({ accountId: "one", messageId: "x" }, { accountId: "two", messageId: "y" });
  await time.runUntil(time.now + 10 * SEND_MS);
  assert.equal(mayOvertake(), true, "nothing waits");
  asked.length = 0;
  const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
  await publish(...names.map((messageId) => ({ accountId: "one", messageId })));
  await time.runUntil(time.now + 10 * SEND_MS);
  const [first, second] = asked;
  assert.ok(first!.slots < names.length, "accounts take turns, so a claim is small");
  assert.equal(second?.mayOvertake, false);
  assert.equal(mayOvertake(), true, "nothing waits any more");
});

const NEW = { accountId: "two", bytes: 0, isInLine: false };

test("a claim is small while accounts are active beside each other, most of all where acts wait for it", async () => {
  for (const isOnlyWriter of [false, true]) {
    const time = new SimulatedTime();
    const store = await openStore(time);
    const asked: number[] = [];
    const claim: typeof store.claim = (request) => {
      asked.push(request.slots);
      return store.claim(request);
    };
    const quick = slowToClaim(store, time, 0);
    const engine = engineOn({ ...quick, claim, isOnlyWriter }, time, {});
    const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
    const keys = ["one", "two"].flatMap((accountId) =>
      names.map((name) => ({ accountId, messageId: `${accountId}-${name}` })),
    );
    await store.act(
      aPublish(time.now, ...keys.map((key) => aPublishItem({ ...key, url: at(key) }))),
    );
    await engine.start();
    await time.runUntil(time.now + 50 * SEND_MS);
    const [first, ...later] = asked;
    assert.ok(first! > 64, "nobody was active before it");
    const shared = later.slice(0, 3);
    assert.deepEqual(shared, Array(3).fill(isOnlyWriter ? ROWS_OF_A_TURN : 64));
  }
});

/** An account has no more in a group of acts while others are active. */
const ROWS_OF_A_TURN = 32;

test("a claim whose answer came too late is given back, and nothing of it is sent", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await publishBacklog(store, time.now, 1);
  const attempts: number[] = [];
  // The machine was asleep: only the clock on the wall shows it.
  const clock = new SteadyClock({ ...time.clock(), monotonic: () => 0 });
  const engine = engineOn(slowToClaim(store, time, 10_001, 0), time, {
    clock,
    onAttempt: ({ number }) => attempts.push(number),
  });
  await engine.start();
  await time.runUntil(time.now + 20_000);
  const { items } = await store.reader.messages.log("one", {}, LOG_PAGE);
  assert.deepEqual(
    items.map(({ entry }) => entry.state),
    ["CREATED", "ACTIVE", "ACTIVE", "DELIVERED"],
  );
  assert.deepEqual(attempts, [1]);
});

/** A host of its own for each, and so a line. */
const at = ({ messageId }: { messageId: string }): string => `https://${messageId}.test/`;

const LOG_PAGE = { after: null, count: 10, order: "earliestFirst" } as const;
