/** Leases that a node learns of too late: it may have disowned them, or others may have taken them over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../src/core/problem.ts";
import type { Store } from "../../src/store/store.ts";
import { aLeasedMessage, aPublish, aPublishItem } from "../support/messages.ts";
import { answering, engineOn, openStore, SEND_MS, slowToClaim } from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

/** A node hands a lease back that it has not had in its memory for this long. */
const DISOWNED_MS = 15_000;
const CLAIM_AGE_MS_MAX = 10_000;

test("the next message of a queue is not sent again by a settlement whose answer came late", async () => {
  for (const lateMs of [CLAIM_AGE_MS_MAX + 1, DISOWNED_MS + 10_000]) {
    const time = new SimulatedTime();
    const store = await openStore(time);
    const ids = await fillQueue(store, time.now);
    let isLate = true;
    const sent = await deliver(time, store, {
      after: async () => {
        if (!isLate) return;
        isLate = false;
        await time.clock().sleep(lateMs);
      },
    });
    assert.deepEqual(sent, ids, `an answer after ${lateMs} ms`);
  }
});

test("nor by one that was stored after an outage, with a heartbeat before its answer", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const ids = await fillQueue(store, time.now);
  const backAt = time.now + 60_000;
  let isFirst = true;
  const sent = await deliver(time, store, {
    before: () => {
      if (time.now < backAt) throw new Problem("overloaded", "the store is away", 1);
    },
    after: async () => {
      if (!isFirst) return;
      isFirst = false;
      await time.clock().sleep(8_000);
    },
  });
  assert.deepEqual(sent, ids);
});

test("a message that was leased at publish is not sent when that is known too late", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const handedBack: string[] = [];
  const act = store.act.bind(store);
  const watched = {
    ...slowToClaim(store, time, 0),
    act: ((one) => {
      if (one.rule === "hand-back") handedBack.push(one.lease.messageId);
      return act(one);
    }) as Store["act"],
  };
  let sent = 0;
  const courier = answering(time, () => (sent += 1));
  const engine = engineOn(watched, time, { courier });
  await engine.start();
  await time.runUntil(time.now + SEND_MS);
  const request = { accountId: "account", host: "late.test", bytes: 0, isInLine: false };
  for (const [messageId, waitMs] of [
    ["soon", CLAIM_AGE_MS_MAX],
    ["late", CLAIM_AGE_MS_MAX + 1],
  ] as const) {
    const slot = engine.handOver.reserve(request);
    await time.runUntil(time.now + waitMs);
    slot!.start(aLeasedMessage({ messageId, url: "https://late.test/" }));
    await time.runUntil(time.now + 10 * SEND_MS);
  }
  assert.equal(sent, 1);
  assert.deepEqual(handedBack, ["late"]);
});

async function fillQueue(store: Store, now: number): Promise<string[]> {
  const ids = ["first", "second", "third"];
  const items = ids.map((messageId) =>
    aPublishItem({ messageId, queueName: "queue", createdAt: now, notBefore: now }),
  );
  await store.act(aPublish(now, ...items));
  return ids;
}

interface Around {
  readonly before?: () => void;
  readonly after: () => Promise<void>;
}

/** What is sent, by a node whose settlements are stored between the two. */
async function deliver(time: SimulatedTime, store: Store, around: Around): Promise<string[]> {
  const sent: string[] = [];
  const courier = answering(time);
  const act = async (one: Parameters<Store["act"]>[0]): Promise<unknown> => {
    if (one.rule !== "settle") return store.act(one);
    around.before?.();
    const answer = await store.act(one);
    await around.after();
    return answer;
  };
  const engine = engineOn({ ...slowToClaim(store, time, 0), act: act as Store["act"] }, time, {
    courier: {
      ...courier,
      send: (delivery) => {
        sent.push(delivery.message.messageId);
        return courier.send(delivery);
      },
    },
  });
  await engine.start();
  await time.runUntil(time.now + 120_000);
  return sent;
}
