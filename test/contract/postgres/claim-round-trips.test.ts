/** How often a claim waits for the server: what stands between a due message and its start. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { keyLine, queueLine } from "../../../src/core/model/line/line.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Claim } from "../../../src/store/store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aSettlement, START_AT } from "../../support/messages.ts";
import type { GrantedLease } from "../../../src/core/model/message/message.ts";
import { freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import { Scene } from "../scene.ts";
import { startCountingProxy } from "./counting-proxy.ts";

interface Story {
  readonly name: string;
  readonly roundTrips: number;
  readonly leased: number;
  readonly prepare: (scene: Scene) => Promise<unknown>;
}

// A claim after one that found nothing begins with a poll, so it takes one more.
const STORIES: readonly Story[] = [
  { name: "nothing is due", roundTrips: 2, leased: 0, prepare: () => Promise.resolve() },
  {
    name: "nothing is due, as before",
    roundTrips: 1,
    leased: 0,
    prepare: (scene) => scene.claim(),
  },
  {
    name: "one message is due",
    roundTrips: 4,
    leased: 1,
    prepare: (scene) => scene.publish("one"),
  },
  {
    name: "messages are due that are too large to be read under its locks",
    roundTrips: 5,
    leased: 2,
    prepare: (scene) =>
      scene.publishAll(["large-1", "large-2"], { body: new Uint8Array(200 * 1024) }),
  },
  {
    name: "100 messages of 10 accounts are due",
    roundTrips: 4,
    leased: 100,
    prepare: (scene) =>
      Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const names = Array.from({ length: 10 }, (_each, number) => `many-${index}-${number}`);
          await scene.publishAll(names, { accountId: `account-${index}` });
        }),
      ),
  },
  {
    name: "a key with a rate is due",
    roundTrips: 4,
    leased: 5,
    prepare: async (scene) => {
      await scene.limit(keyLine("key"), { rate: 5 });
      const names = ["k1", "k2", "k3", "k4", "k5", "k6"];
      await scene.publishAll(names, { flowControl: { key: "key", periodMs: 1_000 } });
    },
  },
  {
    name: "the first of a queue is due",
    roundTrips: 4,
    leased: 1,
    prepare: (scene) => scene.publishAll(["q1", "q2"], { queueName: "queue" }),
  },
  {
    name: "the first of a queue is due, and others wait for its host",
    roundTrips: 6,
    leased: 2,
    prepare: async (scene) => {
      await scene.publish("host");
      await scene.publishAll(["w1", "w2"], { queueName: "queue" });
    },
  },
  {
    name: "the first of a queue goes on to a key",
    roundTrips: 6,
    leased: 1,
    prepare: (scene) =>
      scene.publishAll(["b1", "b2"], {
        queueName: "before",
        flowControl: { key: "behind", parallelism: 1, periodMs: 1_000 },
      }),
  },
  {
    name: "a message of an account with a limit is due",
    roundTrips: 4,
    leased: 1,
    prepare: async (scene) => {
      await scene.addAccount("capped", 3);
      await scene.publish("of-capped", { accountId: "capped" });
    },
  },
  {
    name: "more lines are due than a claim visits",
    roundTrips: 6,
    leased: 64,
    prepare: (scene) =>
      Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          scene.publish(`line-${index}`, { url: `https://host-${index}.test/` }),
        ),
      ),
  },
  {
    name: "a message goes back into its paused queue",
    roundTrips: 5,
    leased: 0,
    prepare: async (scene) => {
      await scene.publish("parked", { queueName: "paused" });
      await scene.handBack(await scene.claimOne());
      await scene.limit(queueLine("paused"), { paused: true, parallelism: 1 });
    },
  },
  {
    name: "a suspect is due",
    roundTrips: 8,
    leased: 1,
    prepare: async (scene) => {
      await scene.publish("suspect");
      await scene.lose("suspect", 3);
    },
  },
  {
    name: "a suspect under a key is due",
    roundTrips: 9,
    leased: 1,
    prepare: async (scene) => {
      await scene.publish("keyed-suspect", { flowControl: { key: "suspected", periodMs: 1_000 } });
      await scene.limit(keyLine("suspected"), { rate: 100 });
      await scene.lose("keyed-suspect", 3);
    },
  },
];

describe("the round trips of a claim", { skip: postgresMissing() }, () => {
  for (const { name, roundTrips, leased, prepare } of STORIES) {
    test(`when ${name}`, () =>
      withCounts(async (scene, countOf) => {
        await prepare(scene);
        const claims: Claim[] = [];
        const counted = await countOf(async () => void claims.push(await scene.claimed()));
        assert.equal(claims[0]?.leased.length, leased);
        assert.equal(counted, roundTrips);
      }));
  }
});

/** Each is one group: one transaction, whatever it stores. */
const WRITES: readonly { name: string; roundTrips: number; write: (scene: Scene) => unknown }[] = [
  { name: "a message", roundTrips: 1, write: (scene) => scene.publish("one") },
  {
    name: "100 messages",
    roundTrips: 1,
    write: (scene) => scene.publishAll(Array.from({ length: 100 }, (_, index) => `m-${index}`)),
  },
  {
    name: "a message of a queue",
    roundTrips: 1,
    write: (scene) => scene.publish("queued", { queueName: "queue" }),
  },
  {
    name: "a message with a key",
    roundTrips: 1,
    write: (scene) =>
      scene.publish("keyed", { flowControl: { key: "key", parallelism: 1, periodMs: 1_000 } }),
  },
];

describe("the round trips of a publish", { skip: postgresMissing() }, () => {
  for (const { name, roundTrips, write } of WRITES) {
    test(`of ${name}`, () =>
      withCounts(async (scene, countOf) => {
        await scene.publish("before");
        assert.equal(await countOf(async () => void (await write(scene))), roundTrips);
      }));
  }
});

describe("the round trips of a settlement", { skip: postgresMissing() }, () => {
  for (const ending of ["deliver", "retry"] as const) {
    test(`by which a node will ${ending}`, () =>
      withCounts(async (scene, countOf) => {
        const settle = (leased: LeasedMessage): Promise<unknown> =>
          ending === "deliver" ? scene.deliver(leased) : scene.retry(leased, 1_000);
        await scene.publishAll(["first", "second"]);
        const [first, second] = await scene.claim();
        await settle(first!);
        assert.equal(await countOf(async () => void (await settle(second!))), 1);
      }));
  }

  test("by which a node will lease and read the next message of its queue", () =>
    withCounts(async (scene, countOf) => {
      await scene.publishAll(["first", "second", "third"], { queueName: "queue" });
      const [first] = await scene.claim();
      await pass(scene, first!);
      const [second] = await scene.store.leased([granted("second")]);
      const roundTrips = await countOf(async () => {
        await pass(scene, second!);
        const [third] = await scene.store.leased([granted("third")]);
        assert.equal(third?.message.messageId, "third");
      });
      assert.equal(roundTrips, 2);
    }));
});

function pass(scene: Scene, leased: LeasedMessage): Promise<unknown> {
  const settlement = aSettlement(leased, { at: scene.now, verdict: { kind: "delivered" } });
  const room = { nodeId: "node", leasedAt: scene.now, host: leased.host, bytesMax: 1_000 };
  const next = { queue: queueLine("queue"), ...room };
  return scene.act({ ...settlement, next });
}

function granted(messageId: string): GrantedLease {
  return { accountId: "account", messageId, fence: 1, host: "example.test", attempts: 0 };
}

type CountOf = (work: () => Promise<void>) => Promise<number>;

async function withCounts(story: (scene: Scene, countOf: CountOf) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  const proxy = await startCountingProxy(database.url);
  const clock = new ManualClock(START_AT);
  const store = await PostgresStore.open({ url: proxy.url, clock, time: "given" });
  try {
    await story(new Scene(store, clock), async (work) => {
      const before = proxy.roundTrips;
      await work();
      return proxy.roundTrips - before;
    });
  } finally {
    await store.close();
    await proxy.close();
    await database.drop();
  }
}
