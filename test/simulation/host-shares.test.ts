/** Two accounts that send to one host: what hangs for one of them must not hold up the other. */
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Outcome } from "../../src/core/model/message/attempt.ts";
import type { Courier } from "../../src/delivery/courier.ts";
import { HostSlots } from "../../src/engine/dispatch/host-slots.ts";
import { Bell } from "../../src/store/bell.ts";
import type { Store } from "../../src/store/store.ts";
import { aPublish, aPublishItem } from "../support/messages.ts";
import { Chance } from "./chance.ts";
import { engineOn, openStore, SEND_MS } from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const HANGING_MS = 60_000;
const MESSAGES = 100;
const ANSWERED: Outcome = { kind: "answer", status: 200, headers: [], body: new Uint8Array(0) };
const NOTHING: Outcome = { kind: "no-answer", error: "nothing came", final: false };

test("calls of one account that hang do not slow down another's to the same host", async () => {
  const { time, store, bell, sent } = await scene();
  await publish(store, time.now, "hanging", 3 * MESSAGES);
  bell.ring();
  await time.runUntil(time.now + 1_000);
  assert.ok((sent.get("hanging") ?? 0) > 0);
  const aloneMs = await timeToSend("quick", null);
  const besideMs = await timeToSend("quick", { time, store, bell, sent });
  assert.ok(besideMs <= 2 * aloneMs, `${besideMs} ms in place of ${aloneMs} ms`);
  // When the calls have ended without an answer, it is still so.
  await time.runUntil(time.now + 3 * HANGING_MS);
  const laterMs = await timeToSend("another", { time, store, bell, sent });
  assert.ok(laterMs <= 4 * aloneMs, `${laterMs} ms in place of ${aloneMs} ms`);
});

test("an account takes no more slots of a host than leave others a share", () => {
  const slots = new HostSlots(64);
  const greedy = { accountId: "greedy", host: "busy.test" };
  for (let answers = 0; answers < 100; answers++) slots.answered(greedy);
  let taken = 0;
  while (!slots.isFull(greedy)) {
    assert.equal(slots.enter(greedy), null);
    taken += 1;
  }
  assert.equal(taken, 64);
  const newcomer = { accountId: "newcomer", host: "busy.test" };
  assert.equal(slots.left(newcomer), 16);
  assert.equal(slots.enter(newcomer), null);
  slots.leave(greedy);
  // A slot that came free belongs to the new account, until it has its share.
  assert.equal(slots.isFull(greedy), true);
  assert.equal(slots.left(newcomer), 16);
});

test("each account learns by itself how much a host takes", () => {
  const slots = new HostSlots(64);
  const quick = { accountId: "quick", host: "busy.test" };
  const hanging = { accountId: "hanging", host: "busy.test" };
  for (let answers = 0; answers < 100; answers++) slots.answered(quick);
  for (let calls = 0; calls < 10; calls++) slots.silent(hanging);
  assert.deepEqual([slots.left(quick), slots.left(hanging)], [64, 2]);
});

test("what waits for a slot is let in account by account", async () => {
  const slots = new HostSlots(8);
  const [one, other] = ["one", "other"].map((accountId) => ({ accountId, host: "busy.test" }));
  while (!slots.isFull(one!)) slots.enter(one!);
  const waiting = [slots.enter(one!), slots.enter(one!)];
  assert.ok(waiting.every((turn) => turn !== null));
  for (const _ of [1, 2]) assert.equal(slots.enter(other!), null, "the last are the other's");
  const turn = slots.enter(other!);
  assert.ok(turn !== null);
  slots.leave(one!);
  const first = await Promise.race([turn.granted.then(() => "other"), waiting[0]!.granted]);
  assert.equal(first, "other");
});

test("what a claim is told of shares is what is left, whatever happened before", async () => {
  const chance = new Chance(20261118);
  const slots = new HostSlots(6);
  const keys = ["one", "two", "three"].flatMap((accountId) =>
    ["a.test", "b.test", "c.test"].map((host) => ({ accountId, host })),
  );
  const entered: { readonly end: () => void }[] = [];
  const enter = (key: (typeof keys)[number]): void => {
    const turn = slots.enter(key);
    let hasSlot = turn === null;
    void turn?.granted.then((granted) => (hasSlot = granted));
    entered.push({ end: () => (hasSlot ? slots.leave(key) : turn?.giveUp()) });
  };
  for (let step = 0; step < 2_000; step++) {
    const key = keys[chance.below(keys.length)]!;
    if (chance.happens(0.5)) entered.splice(chance.below(entered.length), 1)[0]?.end();
    else enter(key);
    if (chance.happens(0.1)) slots.silent(key);
    if (chance.happens(0.1)) slots.answered(key);
    await Promise.resolve();
    const [left, shares] = [slots.leftByHost(), slots.shares()];
    for (const { accountId, host } of keys) {
      const share = shares.get(host);
      const told = share?.accounts[accountId] ?? share?.others ?? slots.initial;
      assert.equal(told, Math.max(0, slots.left({ accountId, host })), `step ${step}`);
      assert.equal(slots.isHostFull(host), left.get(host) === 0, `step ${step}`);
    }
  }
});

interface Scene {
  readonly time: SimulatedTime;
  readonly store: Store;
  readonly bell: Bell;
  /** How many messages of each account were sent. */
  readonly sent: Map<string, number>;
}

async function scene(): Promise<Scene> {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const bell = new Bell();
  const sent = new Map<string, number>();
  const courier: Courier = {
    close: () => Promise.resolve(),
    send: ({ message: { accountId } }) => {
      sent.set(accountId, (sent.get(accountId) ?? 0) + 1);
      const isHanging = accountId === "hanging";
      const outcome = time
        .clock()
        .sleep(isHanging ? HANGING_MS : SEND_MS)
        .then(() => (isHanging ? NOTHING : ANSWERED));
      return { outcome, abort: () => undefined };
    },
  };
  await engineOn(store, time, { courier, bell }).start();
  await time.runUntil(time.now + 1);
  return { time, store, bell, sent };
}

/** How long it takes until all that an account publishes was sent; by itself where no scene is given. */
async function timeToSend(accountId: string, given: Scene | null): Promise<number> {
  const { time, store, bell, sent } = given ?? (await scene());
  const startedAt = time.now;
  await publish(store, startedAt, accountId, MESSAGES);
  bell.ring();
  while ((sent.get(accountId) ?? 0) < MESSAGES) {
    assert.ok(time.now - startedAt < HANGING_MS / 2, `${sent.get(accountId) ?? 0} were sent`);
    await time.runUntil(time.now + SEND_MS);
  }
  return time.now - startedAt;
}

async function publish(store: Store, now: number, accountId: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, index) =>
    aPublishItem({
      accountId,
      messageId: `${accountId}-${now}-${index}`,
      url: "https://busy.test/",
      createdAt: now,
    }),
  );
  await store.act(aPublish(now, ...items));
}
