/**
 * What a claim, a sweep or a search costs depends on what it takes, not on what is stored.
 * BOUNDED_WORK=full stores as much as `npm run prove` does.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

import { keyLine } from "../../src/core/model/line/line.ts";
import { deadLetterId } from "../../src/core/model/message/dead-letter.ts";
import { ROWS_READ_MAX } from "../../src/store/reader/page.ts";
import type { Claim } from "../../src/store/store.ts";
import { aStart, anEnd, refOf } from "../support/runs.ts";
import type { CostOf } from "../support/counted-work.ts";
import { countedContract } from "./counted-stores.ts";
import { endAll, endMany, publishMany, publishRetries } from "./many-messages.ts";
import type { Scene } from "./scene.ts";

const isFull = process.env["BOUNDED_WORK"] === "full";
const LINES = isFull ? 20_000 : 2_000;
const RETRIES = isFull ? 100_000 : 5_000;
const QUEUES = isFull ? 10_000 : 1_000;
const ACCOUNTS = isFull ? 20_000 : 2_000;
/** Measured several times, since a first read may do work that later ones find done. */
const ROUNDS = 3;
const OLD_PAGE = 200;
const LETTERS = 50;
/** Random, since PostgreSQL compresses what it can. */
const LARGE_BODY = randomBytes(1_000_000);
/** Reading the large bodies would cost hundreds of times as much. */
const SEARCH_TIMES_MAX = 20;
const FIRST_PAGE = { after: null, count: 10, order: "latestFirst" } as const;

countedContract("bounded work", (promise) => {
  promise(`a claim costs the same with ${LINES} lines due as with a few`, async (scene, costOf) => {
    await publishMany(scene, 1_000, (index) => ({ url: `https://few-${index % 50}.test/` }));
    const few = await claimCost(scene, costOf, 20);
    await endAll(scene);
    await publishMany(scene, LINES, (index) => ({ url: `https://many-${index}.test/` }));
    const many = await claimCost(scene, costOf, 20);
    assertAtMost(many, 3, few);
  });

  promise(
    `a claim costs little more with ${QUEUES} queues due than with plain lines`,
    async (scene, costOf) => {
      await publishMany(scene, 1_000, (index) => ({ url: `https://plain-${index}.test/` }));
      const plain = await claimCost(scene, costOf, 20);
      await publishMany(scene, QUEUES, (index) => ({ queueName: `queue-${index}` }));
      const queued = await claimCost(scene, costOf, 20);
      assertAtMost(queued, 3, plain);
    },
  );

  promise(
    "a small key is served within two claims, however many messages wait under a large one",
    async (scene) => {
      await publishMany(scene, LINES, () => ({ flowControl: { key: "large", periodMs: 1000 } }));
      scene.clock.advance(1);
      await publishMany(scene, 10, () => ({ flowControl: { key: "small", periodMs: 1000 } }));
      const served = [...(await scene.claim({ slots: 50 })), ...(await scene.claim({ slots: 50 }))];
      const small = served.filter(({ message }) => message.settings.flowControl?.key === "small");
      assert.equal(small.length, 10);
    },
  );

  promise(`a dead host with ${RETRIES} retries costs the others nothing`, async (scene, costOf) => {
    await publishMany(scene, 1_000, (index) => ({ url: `https://alive-${index % 50}.test/` }));
    const before = await claimCost(scene, costOf, 20);
    await publishRetries(scene, RETRIES);
    await publishMany(scene, 1_000, (index) => ({ url: `https://alive-${index % 50}.test/` }));
    const notDue = await claimCost(scene, costOf, 20);
    assertAtMost(notDue, 4, before);
    scene.clock.advance(1_000);
    await publishMany(scene, 1_000, (index) => ({ url: `https://alive-${index % 50}.test/` }));
    const due = await claimCost(scene, costOf, 20, ["dead.test"]);
    assertAtMost(due, 4, before);
    const shared = await scene.claim({ slots: 50, retrySlots: 25 });
    assert.ok(shared.filter(({ host }) => host !== "dead.test").length >= 25);
  });

  promise(`${QUEUES} queue heads behind a shut key are visited once`, async (scene, costOf) => {
    await scene.limit(keyLine("shut"), { paused: true });
    const flowControl = { key: "shut", periodMs: 1000 };
    await publishMany(scene, QUEUES, (index) => ({ queueName: `queue-${index}`, flowControl }));
    const costs = await claimUntilQuiet(scene, costOf);
    // A claim visits at least 64 lines, and each queue is visited twice.
    assert.ok(costs.length <= (2 * QUEUES) / 64 + 50, `${costs.length} claims`);
    // A claim with thousands of queues ahead costs little more than one of the last claims with work.
    assertAtMost(Math.min(...costs.slice(0, 10)), 3, Math.min(...costs.slice(-12, -2)));
    scene.clock.advance(1_000_000);
    assert.deepEqual(await scene.claimed(), {
      leased: [],
      nextAt: null,
      linesPostponed: 0,
      accountsDue: [],
    });
    await scene.limit(keyLine("shut"), { parallelism: 1 });
    const leased = await scene.claimOne();
    await scene.deliver(leased);
    assert.equal((await scene.claim()).length, 1);
  });

  promise(
    `a claim costs the same with ${ACCOUNTS} accounts that only wait`,
    async (scene, costOf) => {
      await publishMany(scene, 1_000, (index) => ({ url: `https://first-${index % 50}.test/` }));
      const alone = await claimCost(scene, costOf, 20);
      await publishMany(scene, ACCOUNTS, (index) => ({
        accountId: `waiting-${index}`,
        delayMs: 1_000_000,
      }));
      await publishMany(scene, 1_000, (index) => ({ url: `https://then-${index % 50}.test/` }));
      const among = await claimCost(scene, costOf, 20);
      assertAtMost(among, 3, alone);
    },
  );

  promise(
    "sweeping costs the same however many messages are too young to remove",
    async (scene, costOf) => {
      await publishMany(scene, 100, () => ({ delayMs: 1_000_000 }));
      const few = await sweepCost(scene, costOf);
      await publishMany(scene, LINES, () => ({ delayMs: 1_000_000 }));
      const many = await sweepCost(scene, costOf);
      assertAtMost(many, 2, few);
    },
  );

  promise(
    "removing a page of old messages costs the same in a log of any size",
    async (scene, costOf) => {
      await endMany(scene, ROUNDS * OLD_PAGE);
      const few = await removalCost(scene, costOf);
      await endMany(scene, 5_000);
      const many = await removalCost(scene, costOf);
      assertAtMost(many, 2, few);
    },
  );

  promise("a search of the log stops after a bounded number of entries", async (scene) => {
    await endMany(scene, ROWS_READ_MAX / 2 + 100);
    const filter = { states: ["DELIVERED"] } as const;
    const { items, next } = await scene.store.reader.messages.log("account", filter, FIRST_PAGE);
    assert.deepEqual(items, []);
    assert.ok(next !== null, "the whole log was read");
    const rest = await scene.store.reader.messages.log("account", filter, {
      ...FIRST_PAGE,
      after: next,
    });
    assert.deepEqual(rest, { items: [], next: null });
  });

  promise(
    "a search of dead letters costs the same for letters of any size that do not match",
    async (scene, costOf) => {
      const small = await searchCost(scene, costOf, "https://small.test/", new Uint8Array(1));
      const large = await searchCost(scene, costOf, "https://large.test/", LARGE_BODY);
      // Twice as many letters, half of them large.
      assertAtMost(large, SEARCH_TIMES_MAX, small);
    },
  );

  promise(
    "a search of runs costs the same for runs of any size that do not match",
    async (scene, costOf) => {
      const small = await runSearchCost(scene, costOf, "small", new Uint8Array(1));
      const large = await runSearchCost(scene, costOf, "large", LARGE_BODY);
      assertAtMost(large, SEARCH_TIMES_MAX, small);
    },
  );

  promise("a failed run that is named costs the same among any number", async (scene, costOf) => {
    const named = await buryRuns(scene, "few");
    const few = await namedCost(scene, costOf, named);
    for (const name of ["many", "more", "most"]) await buryRuns(scene, name);
    assertAtMost(await namedCost(scene, costOf, named), 2, few);
  });
});

/** Lets runs fail; resolves with the id of the first dead letter. */
async function buryRuns(scene: Scene, name: string): Promise<string> {
  for (let made = 0; made < LETTERS; made++) {
    await scene.act(aStart({ runId: `${name}-${made}`, failureCallback: undefined }));
  }
  await Promise.all((await scene.claim({ slots: LETTERS })).map((leased) => scene.kill(leased)));
  const page = { ...FIRST_PAGE, order: "earliestFirst" } as const;
  const [first] = (await scene.store.reader.deadRuns.list("account", {}, page)).items;
  scene.clock.advance(1);
  return deadLetterId(first!.deadLetter);
}

function namedCost({ store }: Scene, costOf: CostOf, id: string): Promise<number> {
  const filter = { deadLetterIds: [id] };
  return leastCost(costOf, async () => {
    const { items, next } = await store.reader.deadRuns.list("account", filter, FIRST_PAGE);
    assert.deepEqual([items.length, next], [1, null]);
  });
}

/** The cost of a search through all runs for one that does not exist. */
async function runSearchCost(
  scene: Scene,
  costOf: CostOf,
  name: string,
  response: Uint8Array,
): Promise<number> {
  for (let made = 0; made < LETTERS; made++) {
    const runId = `${name}-${made}`;
    await scene.act(aStart({ runId }));
    await scene.act(anEnd(scene.now, "success", { ref: refOf(runId), response }));
  }
  return leastCost(costOf, async () => {
    const found = await scene.store.reader.runs.list("account", { labels: ["none"] }, FIRST_PAGE);
    assert.deepEqual(found, { items: [], next: null });
  });
}

/** The cost of a search through all dead letters for one that does not exist. */
async function searchCost(
  scene: Scene,
  costOf: CostOf,
  url: string,
  body: Uint8Array,
): Promise<number> {
  await publishMany(scene, LETTERS, () => ({ url, body }));
  await Promise.all((await scene.claim({ slots: LETTERS })).map((leased) => scene.kill(leased)));
  return leastCost(costOf, async () => {
    const found = await scene.store.reader.deadLetters.list(
      "account",
      { labels: ["none"] },
      FIRST_PAGE,
    );
    assert.deepEqual(found, { items: [], next: null });
  });
}

async function leastCost(costOf: CostOf, work: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, await costOf(work));
  return least;
}

/** The cost of removing one page. */
async function removalCost(scene: Scene, costOf: CostOf): Promise<number> {
  return leastCost(costOf, async () => {
    const { removed } = await scene.sweepAccount({ endedBefore: scene.now, pageMax: OLD_PAGE });
    assert.equal(removed, OLD_PAGE);
  });
}

/** The cost of a claim that fills all its slots. */
function claimCost(
  scene: Scene,
  costOf: CostOf,
  slots: number,
  fullHosts: string[] = [],
): Promise<number> {
  return leastCost(costOf, async () => {
    const leased = await scene.claim({ slots, fullHosts, retrySlots: 0 });
    assert.equal(leased.length, slots);
  });
}

function sweepCost(scene: Scene, costOf: CostOf): Promise<number> {
  const endedBefore = scene.now - 1;
  const nothing = { removed: 0, dropped: 0, kept: 0, after: null };
  return leastCost(costOf, async () => {
    assert.deepEqual(await scene.sweepAccount({ endedBefore }), nothing);
  });
}

/** Claims until no line is due any more; returns what each claim cost. */
async function claimUntilQuiet(scene: Scene, costOf: CostOf): Promise<number[]> {
  const costs: number[] = [];
  for (;;) {
    const { claim, cost } = await claimWithCost(scene, costOf);
    costs.push(cost);
    assert.deepEqual(claim.leased, []);
    if (claim.nextAt === null) return costs;
    assert.ok(costs.length < QUEUES, "the same lines are visited again and again");
    if (claim.nextAt > scene.now) scene.clock.advance(claim.nextAt - scene.now);
  }
}

async function claimWithCost(
  scene: Scene,
  costOf: CostOf,
): Promise<{ claim: Claim; cost: number }> {
  const claims: Claim[] = [];
  const cost = await costOf(async () => void claims.push(await scene.claimed()));
  return { claim: claims[0]!, cost };
}

function assertAtMost(cost: number, times: number, base: number): void {
  assert.ok(cost <= times * base, `a cost of ${cost} is more than ${times} times ${base}`);
}
