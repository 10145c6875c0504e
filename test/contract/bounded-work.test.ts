/** What a claim costs depends on what it takes, not on what waits. Ratios, since machines differ. */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";

import { keyLine, retryLine } from "../../src/core/model/line/line.ts";
import { ROWS_READ_MAX } from "../../src/store/reader.ts";
import { aNewMessage, aPublish, type MessageWish } from "../support/messages.ts";
import { aStart, anEnd, refOf } from "../support/runs.ts";
import { STORES } from "../support/stores.ts";
import { contractOf, type Scene } from "./scene.ts";

/** `npm run prove` asks for more. */
const SCALE = Number(process.env["POSTRIDER_BACKLOG_SCALE"] ?? "1");
const LINES = 20_000;
const RETRIES = 100_000 * SCALE;
const QUEUES = 10_000;
const ACCOUNTS = 20_000;
const ACT_ITEMS = 1_000;
const BOUTS = 5;
const ROUNDS = 15;
const OLD_PAGE = 200;
const LETTERS = 50;
const FIRST_PAGE = { after: null, count: 10, order: "latestFirst" } as const;

/** On disk it is the same code as in memory, and a slow one to fill. */
const KINDS = STORES.filter(({ name }) => name !== "SQLite on disk");

contractOf(KINDS, "bounded work", (promise) => {
  promise(`a claim costs the same with ${LINES} lines due as with a few`, async (scene) => {
    await publishMany(scene, 1_000, (index) => ({ url: `https://few-${index % 50}.test/` }));
    const few = await claimCost(scene, 20);
    await endAll(scene);
    await publishMany(scene, LINES, (index) => ({ url: `https://many-${index}.test/` }));
    const many = await claimCost(scene, 20);
    assertAtMost(many, 10, few);
  });

  promise(
    `a claim costs little more with ${QUEUES} queues due than with plain lines`,
    async (scene) => {
      await publishMany(scene, 1_000, (index) => ({ url: `https://plain-${index}.test/` }));
      const plain = await claimCost(scene, 20);
      await publishMany(scene, QUEUES, (index) => ({ queueName: `queue-${index}` }));
      const queued = await claimCost(scene, 20);
      assertAtMost(queued, 8, plain);
    },
  );

  promise(
    "a small key is served within two claims, whatever stands in a large one",
    async (scene) => {
      await publishMany(scene, LINES, () => ({ flowControl: { key: "large", periodMs: 1000 } }));
      scene.clock.advance(1);
      await publishMany(scene, 10, () => ({ flowControl: { key: "small", periodMs: 1000 } }));
      const served = [...(await scene.claim({ slots: 50 })), ...(await scene.claim({ slots: 50 }))];
      const small = served.filter(({ message }) => message.flowControl?.key === "small");
      assert.equal(small.length, 10);
    },
  );

  promise(`a dead host with ${RETRIES} retries costs the others nothing`, async (scene) => {
    await publishMany(scene, 1_000, (index) => ({ url: `https://alive-${index % 50}.test/` }));
    const before = await claimCost(scene, 20);
    await publishRetries(scene, RETRIES);
    await publishMany(scene, 1_000, (index) => ({ url: `https://alive-${index % 50}.test/` }));
    const notDue = await claimCost(scene, 20);
    assertAtMost(notDue, 10, before);
    scene.clock.advance(1_000);
    await publishMany(scene, 1_000, (index) => ({ url: `https://alive-${index % 50}.test/` }));
    const due = await claimCost(scene, 20, ["dead.test"]);
    assertAtMost(due, 10, before);
    const shared = await scene.claim({ slots: 50, retrySlots: 25 });
    assert.ok(shared.filter(({ host }) => host !== "dead.test").length >= 25);
  });

  promise(`${QUEUES} queue heads behind a shut key are looked at once`, async (scene) => {
    await scene.limit(keyLine("shut"), { paused: true });
    const flowControl = { key: "shut", periodMs: 1000 };
    await publishMany(scene, QUEUES, (index) => ({ queueName: `queue-${index}`, flowControl }));
    const costs = await claimUntilQuiet(scene);
    // At least sixty-four lines to a claim; each queue is looked at twice.
    assert.ok(costs.length <= (2 * QUEUES) / 64 + 50, `${costs.length} claims`);
    // A claim that finds thousands of queues costs little more than one of those before the last, empty ones.
    assertAtMost(Math.min(...costs.slice(0, 10)), 8, Math.min(...costs.slice(-12, -2)));
    scene.clock.advance(1_000_000);
    assert.deepEqual(await scene.claimed(), { leased: [], nextAt: null, linesPostponed: 0 });
    await scene.limit(keyLine("shut"), { parallelism: 1 });
    const leased = await scene.claimOne();
    await scene.deliver(leased);
    assert.equal((await scene.claim()).length, 1);
  });

  promise(`a claim costs the same with ${ACCOUNTS} accounts that only wait`, async (scene) => {
    await publishMany(scene, 1_000, (index) => ({ url: `https://first-${index % 50}.test/` }));
    const alone = await claimCost(scene, 20);
    await publishMany(scene, ACCOUNTS, (index) => ({
      accountId: `waiting-${index}`,
      delayMs: 1_000_000,
    }));
    await publishMany(scene, 1_000, (index) => ({ url: `https://then-${index % 50}.test/` }));
    const among = await claimCost(scene, 20);
    assertAtMost(among, 10, alone);
  });

  promise("sweeping costs the same however much is too young to go", async (scene) => {
    await publishMany(scene, 100, () => ({ delayMs: 1_000_000 }));
    const few = await sweepCost(scene);
    await publishMany(scene, LINES, () => ({ delayMs: 1_000_000 }));
    const many = await sweepCost(scene);
    assertAtMost(many, 6, few, 0.1);
  });

  promise("removing a page of old messages costs the same in a log of any size", async (scene) => {
    await endMany(scene, ROUNDS * OLD_PAGE);
    const few = await removalCost(scene);
    await endMany(scene, 5_000);
    const many = await removalCost(scene);
    assertAtMost(many, 4, few);
  });

  promise("a search of the log stops after a bounded number of entries", async (scene) => {
    await endMany(scene, ROWS_READ_MAX / 2 + 100);
    const filter = { states: ["DELIVERED"] } as const;
    const { items, next } = await scene.store.reader.log("account", filter, FIRST_PAGE);
    assert.deepEqual(items, []);
    assert.ok(next !== null, "the whole log was looked through");
    const rest = await scene.store.reader.log("account", filter, { ...FIRST_PAGE, after: next });
    assert.deepEqual(rest, { items: [], next: null });
  });

  promise("what a search of dead letters passes by costs the same however large", async (scene) => {
    const small = await searchCost(scene, "https://small.test/", new Uint8Array(1));
    const large = await searchCost(scene, "https://large.test/", new Uint8Array(1_000_000));
    // Twice as many, of which half are large.
    assertAtMost(large, 5, small);
  });

  promise("what a search of runs passes by costs the same however large", async (scene) => {
    const small = await runSearchCost(scene, "small", new Uint8Array(1));
    const large = await runSearchCost(scene, "large", new Uint8Array(1_000_000));
    assertAtMost(large, 5, small);
  });
});

/** The cheapest look through all runs for one that is not there. */
async function runSearchCost(scene: Scene, name: string, response: Uint8Array): Promise<number> {
  for (let made = 0; made < LETTERS; made++) {
    const runId = `${name}-${made}`;
    await scene.act(aStart({ runId }));
    await scene.act(anEnd(scene.now, "success", { ref: refOf(runId), response }));
  }
  return leastMsOnceQuiet(async () => {
    const found = await scene.store.reader.runs("account", { labels: ["none"] }, FIRST_PAGE);
    assert.deepEqual(found, { items: [], next: null });
  });
}

/** The cheapest look through all dead letters of a URL for one that is not there. */
async function searchCost(scene: Scene, url: string, body: Uint8Array): Promise<number> {
  await publishMany(scene, LETTERS, () => ({ url, body }));
  await Promise.all((await scene.claim({ slots: LETTERS })).map((leased) => scene.kill(leased)));
  return leastMsOnceQuiet(async () => {
    const found = await scene.store.reader.deadLetters("account", { labels: ["none"] }, FIRST_PAGE);
    assert.deepEqual(found, { items: [], next: null });
  });
}

/** What was written before may keep the disk busy for a while, as may those who test beside us. */
async function leastMsOnceQuiet(work: () => Promise<void>): Promise<number> {
  let least = await leastMs(work);
  for (let bout = 1; bout < BOUTS; bout++) {
    await setTimeout(100);
    least = Math.min(least, await leastMs(work));
  }
  return least;
}

async function leastMs(work: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await work();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}

/** Messages that have ended. */
async function endMany(scene: Scene, count: number): Promise<void> {
  for (let done = 0; done < count; done += ACT_ITEMS) {
    const first = drawn;
    await publishMany(scene, Math.min(ACT_ITEMS, count - done), () => ({ delayMs: 1_000_000 }));
    const keys = Array.from({ length: drawn - first }, (_, index) => {
      return { accountId: "account", messageId: `message-${first + index}` };
    });
    await scene.act({ rule: "cancel", at: scene.now, keys });
  }
  scene.clock.advance(1);
}

/** The cheapest removal of a page. */
async function removalCost(scene: Scene): Promise<number> {
  return leastMs(async () => {
    const { removed } = await scene.sweepAccount({ endedBefore: scene.now, pageMax: OLD_PAGE });
    assert.equal(removed, OLD_PAGE);
  });
}

let drawn = 0;

async function publishMany(
  scene: Scene,
  count: number,
  wish: (index: number) => MessageWish & { delayMs?: number },
): Promise<void> {
  for (let done = 0; done < count; done += ACT_ITEMS) {
    const places = Array.from({ length: Math.min(ACT_ITEMS, count - done) }, (_, index) => index);
    const items = places.map((index) => scene.item(`message-${drawn++}`, wish(done + index)));
    await scene.act(aPublish(scene.now, ...items));
  }
}

/** Messages that have failed once and are due in a second. */
async function publishRetries(scene: Scene, count: number): Promise<void> {
  for (let done = 0; done < count; done += ACT_ITEMS) {
    const items = Array.from({ length: ACT_ITEMS }, () => {
      const message = aNewMessage({
        messageId: `message-${drawn++}`,
        url: "https://dead.test/",
        createdAt: scene.now,
        notBefore: scene.now + 1_000,
      });
      const state = { ...message.state, attempts: 1, line: retryLine("dead.test") };
      return { message: { ...message, state }, deduplication: null };
    });
    await scene.act(aPublish(scene.now, ...items));
  }
}

/** The cheapest of several claims; each must have been worth its while. */
function claimCost(scene: Scene, slots: number, fullHosts: string[] = []): Promise<number> {
  return leastMs(async () => {
    const leased = await scene.claim({ slots, fullHosts, retrySlots: 0 });
    assert.equal(leased.length, slots);
  });
}

function sweepCost(scene: Scene): Promise<number> {
  const endedBefore = scene.now - 1;
  const nothing = { removed: 0, dropped: 0, after: null };
  return leastMs(async () => {
    assert.deepEqual(await scene.sweepAccount({ endedBefore }), nothing);
  });
}

async function endAll(scene: Scene): Promise<void> {
  for (;;) {
    const leased = await scene.claim({ slots: 1_000, retrySlots: 1_000 });
    if (leased.length === 0) break;
  }
  await scene.takeOver();
  for (;;) {
    const leased = await scene.claim({ slots: 1_000, retrySlots: 1_000 });
    if (leased.length === 0) break;
    await Promise.all(leased.map((each) => scene.deliver(each)));
  }
}

/** Claims until no line is due any more, and what each of them cost. */
async function claimUntilQuiet(scene: Scene): Promise<number[]> {
  const costs: number[] = [];
  for (;;) {
    const startedAt = performance.now();
    const { leased, nextAt } = await scene.claimed();
    costs.push(performance.now() - startedAt);
    assert.deepEqual(leased, []);
    if (nextAt === null) return costs;
    assert.ok(costs.length < QUEUES, "lines are looked at again and again");
    if (nextAt > scene.now) scene.clock.advance(nextAt - scene.now);
  }
}

/** The floor keeps the grain of clocks and the collection of garbage out of it. */
function assertAtMost(cost: number, times: number, base: number, floorMs = 0.5): void {
  const bound = Math.max(base, floorMs) * times;
  assert.ok(
    cost <= bound,
    `${cost.toFixed(2)} ms is more than ${times} times ${base.toFixed(2)} ms`,
  );
}
