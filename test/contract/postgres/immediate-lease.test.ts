/** Limits hold while several nodes let messages through at once, and others claim. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { keyLine, queueLine } from "../../../src/core/model/line/line.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import { lockRooms, RoomWait } from "../../../src/store/postgres/group/line-rooms.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import { leaseAtPublish } from "../immediate-lease.ts";
import type { Scene } from "../scene.ts";
import { type Cluster, countWaits, openCluster, transactionWaits } from "./cluster.ts";
import type { CuttingProxy } from "./cutting-proxy.ts";
import { openSlowPair, type SlowPair } from "./slow-pair.ts";

const skip = postgresMissing();

describe("a line that a publish is leasing from", { skip }, () => {
  let pair: SlowPair;
  let proxy: CuttingProxy;
  let slow: Scene;
  let quick: Scene;

  before(async () => {
    pair = await openSlowPair();
    ({ proxy, slow, quick } = pair);
  });
  after(() => pair.close());

  for (const [kind, wish] of [
    ["queue", { queueName: "one" }],
    ["key", { flowControl: { key: "one", parallelism: 1, periodMs: 1_000 } }],
  ] as const) {
    test(`a ${kind} leases no other message, neither at once nor by a claim`, async () => {
      await quick.limit(keyLine("one"), { parallelism: 1 });
      await quick.claim();
      const commit = proxy.holdCommit();
      const hurrying = leaseAtPublish(slow, `${kind}-a`, wish);
      await commit.reached;
      assert.equal(await leaseAtPublish(quick, `${kind}-b`, wish), null);
      assert.deepEqual(await quick.claimIds(), []);
      commit.letGo();
      const first = await hurrying;
      assert.ok(first);
      quick.clock.advance(100);
      assert.deepEqual(await quick.claimIds(), []);
      await quick.deliver(first);
      const next = await quick.claimOne();
      assert.equal(next.lease.messageId, `${kind}-b`);
      await quick.deliver(next);
    });

    test(`a ${kind} that a claim is serving leases no message at once`, async () => {
      await quick.publish(`${kind}-c`, wish);
      const commit = proxy.holdCommit();
      const claiming = slow.claim();
      await commit.reached;
      const hurrying = leaseAtPublish(quick, `${kind}-d`, wish);
      await transactionWaits(pair.url);
      commit.letGo();
      assert.equal(await hurrying, null);
      const [first] = await claiming;
      assert.equal(first?.lease.messageId, `${kind}-c`);
      quick.clock.advance(100);
      assert.deepEqual(await quick.claimIds(), []);
      await quick.deliver(first);
      await quick.deliver(await quick.claimOne());
    });
  }
});

describe("the room of a key that another node is leasing from", { skip }, () => {
  const wish = { flowControl: { key: "two", parallelism: 2, periodMs: 1_000 } };
  let pair: SlowPair;

  beforeEach(async () => {
    pair = await openSlowPair();
    await pair.quick.limit(keyLine("two"), { parallelism: 2 });
    await pair.quick.claim();
  });
  afterEach(() => pair.close());

  test("is waited for, and the next message is leased at once", async () => {
    const commit = pair.proxy.holdCommit();
    const first = leaseAtPublish(pair.slow, "first", wish);
    await commit.reached;
    const second = leaseAtPublish(pair.quick, "second", wish);
    await transactionWaits(pair.url);
    commit.letGo();
    assert.ok(await first);
    assert.ok(await second);
    assert.equal(await leaseAtPublish(pair.quick, "third", wish), null, "both slots are taken");
  });

  test("is given up when that node has stopped, and then not waited for again", async () => {
    const commit = pair.proxy.holdCommit();
    const first = leaseAtPublish(pair.slow, "first", wish);
    await commit.reached;
    const second = leaseAtPublish(pair.quick, "second", wish);
    await transactionWaits(pair.url);
    assert.equal(await second, null);
    const waits = countWaits(pair.url);
    assert.equal(await leaseAtPublish(pair.quick, "third", wish), null);
    assert.equal(await waits.end(), 0);
    commit.letGo();
    assert.ok(await first);
  });

  test("leaves the usual patience to the statements behind it", async () => {
    const connections = new Connections({ url: pair.url, connectionsMax: 1 });
    const lines = [{ accountId: "account", line: keyLine("two") }];
    try {
      await connections.transaction(async (session) => {
        const usual = await session.query("SHOW lock_timeout");
        await lockRooms(session, lines, pair.quick.now, new RoomWait(systemClock));
        assert.deepEqual(await session.query("SHOW lock_timeout"), usual);
      });
    } finally {
      await connections.close();
    }
  });
});

test("after a wait in vain no group waits for ten seconds", () => {
  const clock = new ManualClock();
  const wait = new RoomWait(clock);
  assert.ok(wait.isAllowed);
  wait.wasInVain();
  clock.advance(9_999);
  assert.ok(!wait.isAllowed);
  clock.advance(1);
  assert.ok(wait.isAllowed);
});

test("four nodes that publish and claim at once never overfill a line", { skip }, async () => {
  const cluster = await openCluster(4);
  try {
    await overfill(cluster);
  } finally {
    await cluster.close();
  }
});

const BOUNDS: Readonly<Record<string, number>> = { k: 3, q: 1, r: 2 };
const WISHES = {
  k: { flowControl: { key: "key", parallelism: 3, periodMs: 1_000 } },
  q: { queueName: "one" },
  r: { queueName: "two" },
} as const;
const TURNS = 40;

async function overfill({ scenes, clock }: Cluster): Promise<void> {
  const [first] = scenes as [Scene];
  await first.limit(keyLine("key"), { parallelism: 3 });
  await first.limit(queueLine("two"), { parallelism: 2 });
  const underWay = new Map<string, LeasedMessage>();
  let published = 0;
  let hurriedThrough = 0;
  let ended = 0;
  for (let turn = 0; ended < published || turn < TURNS; turn++) {
    assert.ok(turn < 20 * TURNS, `${published - ended} never came through`);
    const work = scenes.flatMap((scene, node) => {
      const claims = scene.claim({ nodeId: `node-${node}`, slots: 10 });
      // Now and then everything is done, so that lines are found empty.
      if (turn >= TURNS || turn % 8 > 1) return [claims];
      published += 3;
      const kinds = Object.entries(WISHES);
      return [
        claims,
        ...kinds.map(async ([kind, wish]) => {
          const leased = await leaseAtPublish(scene, `${kind}-${turn}-${node}`, wish);
          hurriedThrough += leased === null ? 0 : 1;
          return leased === null ? [] : [leased];
        }),
      ];
    });
    for (const leased of (await Promise.all(work)).flat()) {
      assert.ok(!underWay.has(leased.lease.messageId), "a message is under way twice");
      underWay.set(leased.lease.messageId, leased);
    }
    for (const [kind, max] of Object.entries(BOUNDS)) {
      const count = [...underWay.keys()].filter((id) => id.startsWith(kind)).length;
      assert.ok(count <= max, `${count} of ${kind} are under way, ${max} may be`);
    }
    const some = [...underWay.values()].slice(0, 4);
    for (const { lease } of some) underWay.delete(lease.messageId);
    const answers = await Promise.all(
      some.map((leased, index) => (scenes[index % scenes.length] as Scene).deliver(leased)),
    );
    ended += answers.filter((answer) => answer === "settled").length;
    clock.advance(200);
  }
  assert.ok(hurriedThrough > 0, "nobody was let through at once");
}
