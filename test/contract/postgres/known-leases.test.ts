import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Client } from "pg";

import { aPublish } from "../../support/messages.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import type { Scene } from "../scene.ts";
import { type Cluster, openCluster, transactionWaits } from "./cluster.ts";

describe("a settlement of a lease that the store knows", { skip: postgresMissing() }, () => {
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

  /** Leased by a claim of the first node. */
  async function claimed(...ids: string[]): Promise<LeasedMessage[]> {
    await one.publishAll(ids);
    const leased = await one.claim();
    assert.deepEqual(leased.map(({ lease }) => lease.messageId).toSorted(), ids.toSorted());
    return [...leased];
  }

  async function deadlocks(): Promise<number> {
    const { rows } = await client.query(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    return Number(rows[0].deadlocks);
  }

  test("is taken once", async () => {
    const [leased] = await claimed("plain");
    assert.equal(await one.deliver(leased!), "settled");
    assert.equal(await one.phase("plain"), "DELIVERED");
    assert.equal(await one.deliver(leased!), "stale");
    assert.deepEqual(await one.states("plain"), ["CREATED", "ACTIVE", "DELIVERED"]);
  });

  test("of a message that was stored already leased", async () => {
    const item = one.item("direct", { leasedBy: "node" });
    await one.act(aPublish(one.now, item));
    const [leased] = await other.store.leased([
      { accountId: "account", messageId: "direct", fence: 1, host: "example.test", attempts: 0 },
    ]);
    assert.equal(await one.deliver(leased!), "settled");
    assert.equal(await one.phase("direct"), "DELIVERED");
  });

  test("that another node has canceled in the meantime is canceled, not retried", async () => {
    const [leased] = await claimed("canceled");
    assert.deepEqual(await other.cancel("canceled"), { canceled: 1, inFlight: 1 });
    assert.equal(await one.retry(leased!, 1_000), "canceled");
    assert.equal(await one.phase("canceled"), "CANCELED");
  });

  test("that another node has canceled ends as delivered where it was", async () => {
    const [leased] = await claimed("accepted");
    await other.cancel("accepted");
    assert.equal(await one.deliver(leased!), "settled");
    assert.equal(await one.phase("accepted"), "DELIVERED");
  });

  test("that another node has taken over changes nothing", async () => {
    const [leased] = await claimed("taken");
    const taken = await other.takeOver();
    assert.equal(taken.waiting, 1);
    assert.equal(await one.deliver(leased!), "stale");
    assert.equal(await one.phase("taken"), "waiting");
    assert.equal(await one.retry(leased!, 1_000), "stale");
    const again = await other.claimOne({ nodeId: "heir" });
    assert.equal(await one.deliver(leased!), "stale");
    assert.equal(await other.deliver(again), "settled");
  });

  test("does not keep the others of its group from being settled", async () => {
    const leased = await claimed("stays-1", "changes", "stays-2", "fails");
    await other.cancel("changes");
    const answers = await Promise.all(
      leased.map((each) =>
        each.lease.messageId === "changes" || each.lease.messageId === "fails"
          ? one.retry(each, 1_000)
          : one.deliver(each),
      ),
    );
    const ids = leased.map(({ lease }) => lease.messageId);
    assert.deepEqual(Object.fromEntries(ids.map((id, index) => [id, answers[index]])), {
      "stays-1": "settled",
      changes: "canceled",
      "stays-2": "settled",
      fails: "settled",
    });
    assert.equal(await one.phase("fails"), "waiting");
    assert.deepEqual(await one.states("stays-1"), ["CREATED", "ACTIVE", "DELIVERED"]);
    await one.cancel("fails");
  });

  test("waits for the one that changes the row, and sees what it did", async () => {
    for (const verdict of ["deliver", "retry"] as const) {
      const [leased] = await claimed(`waits-${verdict}`);
      await client.query("BEGIN");
      await client.query("UPDATE messages SET fence = fence + 1 WHERE message_id = $1", [
        `waits-${verdict}`,
      ]);
      const settling = verdict === "deliver" ? one.deliver(leased!) : one.retry(leased!, 1_000);
      await transactionWaits(cluster.url);
      await client.query("COMMIT");
      assert.equal(await settling, "stale");
      assert.equal((await one.state(`waits-${verdict}`))?.phase, "active");
    }
  });

  test("of many messages, while others cancel them in any order, never deadlocks", async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `many-${n}`);
    const leased = await claimed(...ids);
    const answers = await Promise.all([
      ...leased.map((each) => one.deliver(each)),
      ...ids.toReversed().map((id) => other.cancel(id)),
    ]);
    assert.equal(answers.length, 60);
    assert.equal(await deadlocks(), 0);
    for (const id of ids) assert.match(String(await one.phase(id)), /DELIVERED|CANCELED/);
  });
});
