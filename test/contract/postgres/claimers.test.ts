import assert from "node:assert/strict";
import { test } from "node:test";

import { keyLine, queueLine } from "../../../src/core/model/line/line.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import { idsOf, type Scene } from "../scene.ts";
import { type Cluster, openCluster } from "./cluster.ts";

const skip = postgresMissing();
const CLAIMERS = 8;

test("eight claimers lease nothing twice and leave nothing behind", { skip }, async () => {
  await withCluster(async ({ scenes, clock }) => {
    const [first] = scenes as [Scene];
    for (let page = 0; page < 20; page++) {
      const names = Array.from({ length: 50 }, (_, index) => `${page}-${index}`);
      await first.publishAll(names, { url: `https://host${page % 10}.test/` });
    }
    const seen: string[] = [];
    for (let turn = 0; seen.length < 1_000 && turn < 200; turn++) {
      const claims = await Promise.all(
        scenes.map((scene, node) => scene.claimIds({ nodeId: `node-${node}`, slots: 7 })),
      );
      seen.push(...claims.flat());
      clock.advance(100);
    }
    assert.equal(seen.length, 1_000);
    assert.equal(new Set(seen).size, 1_000);
    const counts = await first.store.reader.upkeep.counts();
    assert.deepEqual(counts, { waiting: 0, active: 1_000 });
  });
});

test("eight claimers never overfill a key, a queue or an account", { skip }, async () => {
  await withCluster(async ({ scenes, clock }) => {
    const [first] = scenes as [Scene];
    await first.addAccount("capped", 5);
    await first.limit(keyLine("key"), { parallelism: 3 });
    await first.limit(queueLine("queue"), { parallelism: 2 });
    await first.publishAll(ids("k"), { flowControl: { key: "key", periodMs: 1_000 } });
    await first.publishAll(ids("q"), { queueName: "queue" });
    for (const host of ["a", "b", "c", "d"]) {
      const url = `https://${host}.test/`;
      await first.publishAll(ids(`c${host}`).slice(0, 10), { accountId: "capped", url });
    }
    const bounds: Record<string, number> = { k: 3, q: 2, c: 5 };
    const underWay = new Map<string, LeasedMessage>();
    const order: string[] = [];
    let ended = 0;
    for (let turn = 0; ended < 120 && turn < 400; turn++) {
      const claims = await Promise.all(
        scenes.map((scene, node) => scene.claim({ nodeId: `node-${node}`, slots: 10 })),
      );
      for (const leased of claims.flat()) {
        const { messageId } = leased.lease;
        assert.ok(!underWay.has(messageId), `${messageId} is under way twice`);
        underWay.set(messageId, leased);
      }
      // Two may go at once, and then neither is the first.
      const queued = idsOf(claims.flat()).filter((id) => id.startsWith("q"));
      order.push(...queued.toSorted());
      for (const [kind, max] of Object.entries(bounds)) {
        const count = [...underWay.keys()].filter((id) => id.startsWith(kind)).length;
        assert.ok(count <= max, `${count} of ${kind} are under way, ${max} may be`);
      }
      // Settled while the others are about to claim again, so that both see each other half done.
      const some = [...underWay.values()].slice(0, 4);
      const settled = some.map((leased, index) =>
        (scenes[index % scenes.length] as Scene).deliver(leased),
      );
      for (const { lease } of some) underWay.delete(lease.messageId);
      ended += (await Promise.all(settled)).filter((answer) => answer === "settled").length;
      clock.advance(50);
    }
    assert.equal(ended, 120);
    assert.deepEqual(order, ids("q"), "a queue keeps its order");
  });
});

test("eight claimers give out one suspect at a time", { skip }, async () => {
  await withCluster(async ({ scenes, clock }) => {
    const [first] = scenes as [Scene];
    await first.publishAll(["a", "b", "c"], {});
    for (let loss = 0; loss < 3; loss++) {
      await first.claim();
      await first.takeOver();
    }
    const done: string[] = [];
    for (let turn = 0; done.length < 3 && turn < 20; turn++) {
      clock.advance(1_000);
      const claims = await Promise.all(
        scenes.map((scene, node) => scene.claim({ nodeId: `node-${node}` })),
      );
      const leased = claims.flat();
      assert.ok(leased.length <= 1, `${leased.length} suspects run at once`);
      for (const each of leased) {
        await first.deliver(each);
        done.push(each.lease.messageId);
      }
    }
    assert.deepEqual(done.toSorted(), ["a", "b", "c"]);
  });
});

function ids(prefix: string): string[] {
  return Array.from({ length: 40 }, (_, index) => `${prefix}${index + 10}`);
}

async function withCluster(story: (cluster: Cluster) => Promise<void>): Promise<void> {
  const cluster = await openCluster(CLAIMERS);
  try {
    await story(cluster);
  } finally {
    await cluster.close();
  }
}
