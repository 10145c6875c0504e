/** A node that goes on with a queue by itself, and when it leaves that to claims. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { aPublish, aPublishItem } from "../support/messages.ts";
import type { Store } from "../../src/store/store.ts";
import { engineOn, LIMITS, openStore, SEND_MS } from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const MESSAGES = 40;

test("a queue goes on in order, with a claim for its first message alone", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const ids = await fill(store, time.now, "queue", MESSAGES);
  const found = countClaimed(store);
  const delivered: string[] = [];
  const engine = engineOn(store, time, {
    onAttempt: ({ message }) => delivered.push(message.messageId),
  });
  await engine.start();
  await time.runUntil(time.now + 2 * MESSAGES * SEND_MS);
  assert.deepEqual(delivered, ids);
  assert.equal(found.claimed, 1);
});

test("a node that stops leases no more, and leaves none behind", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await fill(store, time.now, "queue", MESSAGES);
  let delivered = 0;
  const rules: string[] = [];
  const act = store.act.bind(store);
  mock.method(store, "act", (...args: Parameters<typeof act>) => {
    rules.push(args[0].rule);
    return act(...args);
  });
  const engine = engineOn(store, time, { onAttempt: () => (delivered += 1) });
  await engine.start();
  await time.runUntil(time.now + 5.5 * SEND_MS);
  const before = delivered;
  const stopped = engine.stop(100 * SEND_MS);
  await time.runUntil(time.now + 10 * SEND_MS);
  await stopped;
  assert.ok(before > 1 && delivered <= before + 1, `${before}, then ${delivered}`);
  const counts = await store.reader.upkeep.counts();
  assert.deepEqual(counts, { waiting: MESSAGES - delivered, active: 0 });
  assert.ok(!rules.includes("hand-back"), "leased in vain");
});

test("queues that fill a node leave slots to the messages of others", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  // A claim leaves nothing of these behind, so that nothing but the slots holds them back.
  for (const name of ["a", "b"]) await fill(store, time.now, name, MESSAGES);
  const delivered: string[] = [];
  const engine = engineOn(store, time, {
    limits: { ...LIMITS, slots: 2 },
    onAttempt: ({ message }) => delivered.push(message.accountId),
  });
  await engine.start();
  await time.runUntil(time.now + 3 * SEND_MS);
  await store.act(aPublish(time.now, aPublishItem({ accountId: "other", messageId: "other" })));
  await time.runUntil(time.now + (MESSAGES / 2) * SEND_MS);
  assert.ok(delivered.includes("other"), `${delivered.length} others first`);
});

async function fill(store: Store, now: number, queueName: string, count: number) {
  const ids = Array.from({ length: count }, (_, index) => `${queueName}-${100 + index}`);
  const items = ids.map((messageId) =>
    aPublishItem({ messageId, queueName, createdAt: now, notBefore: now }),
  );
  await store.act(aPublish(now, ...items));
  return ids;
}

function countClaimed(store: Store): { claimed: number } {
  const found = { claimed: 0 };
  const claim = store.claim.bind(store);
  mock.method(store, "claim", async (...args: Parameters<typeof claim>) => {
    const answer = await claim(...args);
    found.claimed += answer.leased.length;
    return answer;
  });
  return found;
}
