import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Client } from "pg";

import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type FreshDatabase, freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import { Scene } from "../scene.ts";
import { type Pooler, startPooler } from "./pooler.ts";

const NAMED = "SELECT message_id FROM messages WHERE message_id = ANY ($1::text[])";
const PLANS = `SELECT custom_plans::int AS chosen, generic_plans::int AS kept
  FROM pg_prepared_statements WHERE statement = $1`;

describe("prepared statements", { skip: postgresMissing() }, () => {
  let database: FreshDatabase;
  let pooler: Pooler;
  let store: PostgresStore;
  let scene: Scene;

  async function open(isThere: boolean): Promise<void> {
    database = await freshDatabase();
    pooler = await startPooler(database.url, isThere);
    const clock = new ManualClock();
    store = await PostgresStore.open({ url: pooler.url, clock, time: "given" });
    scene = new Scene(store, clock);
  }

  async function close(): Promise<void> {
    await store.close();
    await pooler.close();
    await database.drop();
  }

  /** Publishes, claims and settles, with several transactions under way at once. */
  async function deliver(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => scene.publish(id, {})));
    const leased = await scene.claim();
    assert.deepEqual(leased.map(({ message }) => message.messageId).toSorted(), ids.toSorted());
    await Promise.all(leased.map((one) => scene.deliver(one)));
    const counts = await Promise.all(ids.map((id) => scene.states(id)));
    for (const states of counts) assert.deepEqual(states, ["CREATED", "ACTIVE", "DELIVERED"]);
  }

  describe("behind a pooler in transaction mode", () => {
    before(() => open(true));
    after(close);

    test("nothing is prepared, and every transaction may run in another session", async () => {
      for (let round = 0; round < 10; round++) await deliver([`a${round}`, `b${round}`]);
      assert.deepEqual([...pooler.prepared], []);
      assert.ok(pooler.moved > 10, `${pooler.moved} transactions were moved`);
    });
  });

  describe("straight to the server", () => {
    before(() => open(false));
    after(close);

    test("statements are prepared once, and again when the tables have changed", async () => {
      for (let round = 0; round < 3; round++) await deliver([`a${round}`, `b${round}`]);
      const earlier = new Set(pooler.prepared);
      assert.ok(earlier.size > 3, [...earlier].join());

      const client = new Client({ connectionString: database.url });
      await client.connect();
      await client.query("ALTER TABLE messages ADD COLUMN later integer");
      await client.end();

      for (let round = 3; round < 6; round++) await deliver([`a${round}`, `b${round}`]);
      assert.ok([...pooler.prepared].some((name) => !earlier.has(name)));
    });

    test("what a transaction asks is planned once, whatever the values", async () => {
      const url = database.url;
      const connections = new Connections({ url, connectionsMax: 1 });
      for (let round = 0; round < 8; round++) {
        const ids = Array.from({ length: round }, (_, index) => `a${index}`);
        await connections.transaction((session) => session.query(NAMED, [ids]));
      }
      const [plans] = await connections.transaction((session) => session.query(PLANS, [NAMED]));
      await connections.close();
      // It is prepared when it is asked for the second time.
      assert.deepEqual(plans, { chosen: 0, kept: 7 });
    });
  });
});
