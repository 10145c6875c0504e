/**
 * The server keeps a plan for longer than a table stays small. What was planned while there was
 * nothing must cost no more once there is much: rows are found by their keys, not by their account.
 */
import assert from "node:assert/strict";

import { keyLine, queueLine } from "../../../src/core/model/line/line.ts";
import { isNextLeased } from "../../../src/core/rules/message/next-in-queue.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import { anAccount, aPublish, aSettlement, type MessageWish } from "../../support/messages.ts";
import { aPutSchedule, aTick } from "../../support/schedules.ts";
import { itemWithSlot, leaseAtPublish, leasedOf } from "../immediate-lease.ts";
import { scheduleOf } from "../schedule-scene.ts";
import type { Scene } from "../scene.ts";
import { goesByKeys, PLANNED_AFTER } from "./plan-costs.ts";

const CROWD = 3_000;
/** So many under keys fill more than one page of an index. */
const WAVE = 50;
/** Topics and schedules: an account may not have many more, and they are counted. */
const SETTINGS = 250;
const ACT_ITEMS = 1_000;

goesByKeys("messages", "made for few rows that were counted", {
  early: (scene, name) => manyUnderWay(scene, name, WAVE),
  late: (scene, name) => manyUnderWay(scene, name, 5),
  day: anyDay,
  crowd,
});

/** A little of everything that goes by keys. */
async function anyDay(scene: Scene, name: string): Promise<void> {
  const flowControl = { key: name, periodMs: 1_000 };
  const queued = await leaseAtPublish(scene, `${name}-1`, { queueName: name });
  const keyed = await leaseAtPublish(scene, `${name}-2`, { flowControl });
  for (const leased of [queued, keyed]) await scene.deliver(leased!);
  await passOn(scene, name);
  await scene.publish(`${name}-3`, { url: `https://${name}.test/` });
  await scene.publish(`${name}-4`, { flowControl });
  await scene.publish(`${name}-5`, { queueName: name });
  const claimed = await scene.claim();
  assert.equal(claimed.length, 3);
  await scene.retry(claimed[0]!, 0);
  for (const leased of claimed.slice(1)) await scene.deliver(leased);
  await scene.deliver(await scene.claimOne());
  await lookAtLines(scene, name);
  await scene.store.upcoming(0);
  await retryDeadLetter(scene, name);
  await changeSettings(scene, name);
  await sweep(scene);
}

/** A settlement leases the next message of its queue. */
async function passOn(scene: Scene, name: string): Promise<void> {
  const [queueName, url] = [`${name}-passed`, `https://${name}-passed.test/`];
  await scene.publishAll([`${queueName}-1`, `${queueName}-2`], { url, queueName });
  const first = await scene.claimOne();
  const settlement = aSettlement(first, { at: scene.now, verdict: { kind: "delivered" } });
  const room = { nodeId: "node", leasedAt: scene.now, host: first.host, bytesMax: 1_000 };
  const asked = { queue: queueLine(queueName), ...room };
  const answer = await scene.act({ ...settlement, next: asked });
  assert.ok(isNextLeased(answer));
  const [next] = await scene.store.leased([answer.next]);
  await scene.deliver(next!);
  assert.deepEqual(await scene.claimIds(), []);
}

/** Each wave is leased under its keys while the earlier ones are under way. */
async function manyUnderWay(scene: Scene, name: string, together: number): Promise<void> {
  const underWay: LeasedMessage[] = [];
  for (let wave = 0; wave < PLANNED_AFTER; wave++) {
    const keys = Array.from({ length: together }, (_, index) => `${name}-${wave}-${index}`);
    const items = keys.map((key) =>
      itemWithSlot(scene, key, { flowControl: { key, periodMs: 1_000 } }),
    );
    await scene.act(aPublish(scene.now, ...items));
    underWay.push(...items.map(leasedOf));
  }
  await Promise.all(underWay.map((leased) => scene.deliver(leased)));
}

async function lookAtLines(scene: Scene, name: string): Promise<void> {
  const { reader } = scene.store;
  for (const line of [queueLine(name), keyLine(name)]) {
    const key = { accountId: "account", line };
    await scene.limit(line, { parallelism: 2 });
    assert.equal((await reader.lines.report(key, scene.now))?.status.held, 0);
    assert.equal(await reader.lines.lastPosition(key), 0);
    assert.deepEqual(await reader.lines.queued(key, Number.MAX_SAFE_INTEGER, 5), []);
  }
  const rule = "unset-line";
  await scene.act({ rule, at: scene.now, accountId: "account", line: queueLine(name) });
  assert.deepEqual(await scene.claimIds(), []);
}

async function retryDeadLetter(scene: Scene, name: string): Promise<void> {
  await scene.publish(`${name}-6`, { url: "https://dead.test/" });
  await scene.kill(await scene.claimOne());
  const page = { after: null, count: 1, order: "latestFirst" } as const;
  const [last] = (await scene.store.reader.deadLetters.list("account", {}, page)).items;
  const { message } = scene.item(`${name}-7`);
  await scene.act({ rule: "retry-dead-letter", at: scene.now, key: last!.deadLetter, message });
  await scene.deliver(await scene.claimOne());
  await scene.store.reader.messages.get({ accountId: "account", messageId: `${name}-7` });
}

async function changeSettings(scene: Scene, name: string): Promise<void> {
  await putUrlGroup(scene, name);
  await scene.act(aPutSchedule(scene.now, name));
  const schedule = await scheduleOf(scene, name);
  await scene.act({ rule: "tick", at: scene.now, ticks: [aTick(schedule, `${name}-8`)] });
  await scene.act({ rule: "change-account", at: scene.now, accountId: "account", fields: {} });
  await scene.cancel(`${name}-8`);
  assert.deepEqual(await scene.claimIds(), []);
}

async function sweep(scene: Scene): Promise<void> {
  const { now } = scene;
  await scene.store.sweep({ now, countsBefore: 0, keysBefore: now, pageMax: 5 });
  await scene.sweepAccount({ pageMax: 5 });
}

function putUrlGroup(scene: Scene, name: string): Promise<unknown> {
  return scene.act({
    rule: "put-endpoints",
    at: scene.now,
    key: { accountId: "account", name },
    endpoints: [{ url: "https://example.test/" }],
    limits: { urlGroupsMax: 2 * CROWD, endpointsPerUrlGroupMax: 10 },
  });
}

/** Thousands of everything, of which nothing is due. */
async function crowd(scene: Scene): Promise<void> {
  const names = Array.from({ length: CROWD }, (_, index) => `crowd-${index}`);
  await publishMany(scene, names, (name) => ({ messageId: `${name}-dead` }));
  await eachClaimed(scene, (leased) => scene.kill(leased));
  await publishMany(scene, names, (name) => ({ messageId: `${name}-held`, queueName: name }));
  await eachClaimed(scene, () => Promise.resolve());
  // Their queues are shut to these until there is room.
  await publishMany(scene, names, (name) => ({ messageId: `${name}-behind`, queueName: name }));
  await publishMany(scene, names, (name) => ({ messageId: name, delayMs: 1_000_000_000 }));
  await Promise.all(names.map((name) => scene.limit(queueLine(name), { paused: true })));
  while (((await scene.claimed()).nextAt ?? Infinity) <= scene.now);
  const few = names.slice(0, SETTINGS);
  await Promise.all(few.map((name) => putUrlGroup(scene, name)));
  await Promise.all(few.map((name) => scene.act(aPutSchedule(scene.now, name))));
  const accounts = names.map((name) => anAccount({ accountId: name, customerId: name }));
  await Promise.all(accounts.map((account) => scene.act({ rule: "add-account", account })));
}

async function publishMany(
  scene: Scene,
  names: readonly string[],
  wish: (name: string) => MessageWish & { messageId: string; delayMs?: number },
): Promise<void> {
  for (let done = 0; done < names.length; done += ACT_ITEMS) {
    const wishes = names.slice(done, done + ACT_ITEMS).map(wish);
    await scene.act(aPublish(scene.now, ...wishes.map((each) => scene.item(each.messageId, each))));
  }
}

async function eachClaimed(
  scene: Scene,
  end: (leased: LeasedMessage) => Promise<unknown>,
): Promise<void> {
  for (let found = 1; found > 0;) {
    const claimed = await scene.claim({ slots: 1_000 });
    await Promise.all(claimed.map(end));
    found = claimed.length;
  }
}
