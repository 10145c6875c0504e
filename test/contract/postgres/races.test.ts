import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Client } from "pg";

import { aPublish } from "../../support/messages.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import type { Scene } from "../scene.ts";
import { type Cluster, openCluster } from "./cluster.ts";

describe("nodes that want the same at once", { skip: postgresMissing() }, () => {
  let cluster: Cluster;
  let one: Scene;
  let other: Scene;
  let client: Client;

  before(async () => {
    cluster = await openCluster(2);
    [one, other] = cluster.scenes as [Scene, Scene];
    client = new Client({ connectionString: cluster.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await cluster.close();
  });

  test("of many publishers with one deduplication key one is the first", async () => {
    for (let round = 0; round < 40; round++) {
      const publish = (scene: Scene, id: string, names: string[]) =>
        scene.act(
          aPublish(
            scene.now,
            ...names.map((name) => {
              const key = { key: `${name}${round}`, expiresAt: scene.now + 1_000 };
              return scene.item(`${id}-${name}${round}`, {}, key);
            }),
          ),
        );
      // Named in opposite orders, as a deadlock would want it.
      const answers = await Promise.all([
        publish(one, "one", ["a", "b", "c"]),
        publish(other, "other", ["c", "b", "a"]),
      ]);
      const all = answers.flat();
      assert.equal(all.filter(({ deduplicated }) => !deduplicated).length, 3);
      assert.equal(new Set(all.map(({ messageId }) => messageId)).size, 3);
    }
  });

  test("a key that has expired is taken by one", async () => {
    await publishOld(one, "old-first");
    cluster.clock.advance(1_000);
    const answers = await Promise.all([publishOld(one, "old-one"), publishOld(other, "old-other")]);
    assert.equal(answers.flat().filter(({ deduplicated }) => !deduplicated).length, 1);
  });

  test("a group that came to nothing leaves its key to the one that waited", async () => {
    const key = { key: "left", expiresAt: one.now + 1_000 };
    await client.query("BEGIN");
    await client.query("INSERT INTO deduplications VALUES ('account', 'left', 'never', $1)", [
      key.expiresAt,
    ]);
    const publishing = one.act(aPublish(one.now, one.item("left-one", {}, key)));
    await transactionWaits(client);
    await client.query("ROLLBACK");
    assert.deepEqual(await publishing, [{ messageId: "left-one", deduplicated: false }]);
  });

  test("a node that adds an account another is adding finds that it exists", async () => {
    const answers = await Promise.all([one.addAccount("same"), other.addAccount("same")]);
    assert.deepEqual(answers.toSorted(), ["added", "exists"]);
  });

  test("groups that settle and cancel the same messages in any order do not deadlock", async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `both-${n}`);
    await one.publishAll(ids, { url: "https://both.test/" });
    const leased = (await one.claim()).filter(({ lease }) => ids.includes(lease.messageId));
    assert.equal(leased.length, ids.length);
    const answers = await Promise.all([
      ...leased.map((each) => one.retry(each, 1_000_000)),
      ...ids.toReversed().map((id) => other.cancel(id)),
    ]);
    assert.equal(answers.length, 60);
    const { rows } = await client.query(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    assert.equal(Number(rows[0].deadlocks), 0);
  });
});

function publishOld(scene: Scene, id: string) {
  const key = { key: "old", expiresAt: scene.now + 1_000 };
  return scene.act(aPublish(scene.now, scene.item(id, {}, key)));
}

/** Until a transaction waits for a lock of another. */
async function transactionWaits(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query("SELECT 1 FROM pg_locks WHERE NOT granted");
    if (rows.length > 0) return;
  }
}
