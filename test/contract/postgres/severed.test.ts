import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import type { Act } from "../../../src/core/rules/registry.ts";
import { Problem } from "../../../src/core/problem.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aCallback } from "../../support/messages.ts";
import { type FreshDatabase, freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import { Scene } from "../scene.ts";
import { type Cut, type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";

const STATEMENTS_MAX = 60;

describe("a connection that breaks at any statement", { skip: postgresMissing() }, () => {
  let database: FreshDatabase;
  let proxy: CuttingProxy;
  let client: Client;
  let clock: ManualClock;
  let store: PostgresStore;

  before(async () => {
    database = await freshDatabase();
    proxy = await startCuttingProxy(database.url);
    client = new Client({ connectionString: database.url });
    await client.connect();
    clock = new ManualClock();
    store = await PostgresStore.open({ url: proxy.url, clock, time: "given" });
  });
  after(async () => {
    await store.close();
    await client.end();
    await proxy.close();
    await database.drop();
  });

  /** Tells the story once for each statement at which it can break, until it is over before. */
  async function tell(
    cut: Omit<Cut, "statement">,
    prepare: (scene: Scene) => Promise<() => Promise<unknown>>,
    judge: (scene: Scene, tables: Tables, outcome: Outcome) => Promise<void>,
  ): Promise<void> {
    for (let statement = 1; statement <= STATEMENTS_MAX; statement++) {
      await client.query(`TRUNCATE ${TABLES.join(", ")}, lines, line_limits, nodes`);
      const scene = new Scene(store, clock);
      const act = await prepare(scene);
      const earlier = await count(client);
      const disarm = proxy.arm({ ...cut, statement });
      const [result] = await Promise.allSettled([act()]);
      const cuts = disarm();
      await quiet(client);
      const tables = await count(client);
      await judge(scene, tables, { result, changed: !same(earlier, tables) });
      if (cuts === 0) return;
    }
    assert.fail("the story never ends");
  }

  for (const when of ["before", "after"] as const) {
    for (const times of [1, Infinity]) {
      test(`a group is written whole or not at all (${when}, ${times})`, async () => {
        await tell({ when, times }, prepareGroup, async (_, tables, { result, changed }) => {
          assert.deepEqual(tables, changed ? AFTER_GROUP : BEFORE_GROUP);
          if (result?.status === "fulfilled") assert.ok(changed, "what is answered is stored");
          else assertOverloaded(result?.reason);
        });
      });

      test(`a claim leases what it logs, or nothing (${when}, ${times})`, async () => {
        await tell({ when, times }, prepareClaim, async (scene, tables, { result }) => {
          assert.equal(tables["active"], tables["active_entries"]);
          assert.equal(tables["slots"], tables["active"] === 0 ? 0 : 1);
          if (result?.status === "rejected") assertOverloaded(result.reason);
          // Whatever was leased and never heard of comes back, and everything is sent in the end.
          await scene.takeOver();
          scene.clock.advance(1_000);
          assert.equal((await scene.claimIds()).length, 3);
        });
      });

      test(`a page is taken over whole or not at all (${when}, ${times})`, async () => {
        await tell({ when, times }, prepareTakeOver, async (scene, tables) => {
          assert.ok(tables["active"] === 0 || tables["active"] === 2);
          await scene.takeOver();
          assert.equal((await scene.claimIds()).length, 2);
        });
      });
    }
  }
});

interface Outcome {
  readonly result: PromiseSettledResult<unknown> | undefined;
  readonly changed: boolean;
}

type Tables = Readonly<Record<string, number>>;

const BEFORE_GROUP: Tables = {
  facts: 1,
  messages: 1,
  active: 1,
  log_entries: 2,
  active_entries: 1,
  kept_attempts: 0,
  dead_letters: 0,
  deduplications: 0,
  slots: 0,
};

/** One has died with two reports, and two are new. */
const AFTER_GROUP: Tables = {
  facts: 5,
  messages: 4,
  active: 0,
  log_entries: 7,
  active_entries: 1,
  kept_attempts: 1,
  dead_letters: 1,
  deduplications: 1,
  slots: 0,
};

async function prepareGroup(scene: Scene): Promise<() => Promise<unknown>> {
  const reports = { callback: aCallback(), failureCallback: aCallback() };
  await scene.publish("dies", reports);
  const leased = await scene.claimOne();
  const key = { key: "key", expiresAt: scene.now + 1_000 };
  const acts: (() => Promise<unknown>)[] = [
    () => scene.kill(leased),
    () => scene.act(publishOf(scene, "new", key)),
    () => scene.act(publishOf(scene, "queued", null)),
  ];
  return () => Promise.all(acts.map((act) => act()));
}

function publishOf(
  scene: Scene,
  id: string,
  key: { key: string; expiresAt: number } | null,
): Extract<Act, { rule: "publish" }> {
  const wish = key === null ? { queueName: "queue" } : {};
  return { rule: "publish", at: scene.now, items: [scene.item(id, wish, key)] };
}

async function prepareClaim(scene: Scene): Promise<() => Promise<unknown>> {
  await scene.publishAll(["a", "b"], {});
  await scene.publish("queued", { queueName: "queue" });
  return () => scene.claimed();
}

async function prepareTakeOver(scene: Scene): Promise<() => Promise<unknown>> {
  await scene.publishAll(["a", "b"], {});
  await scene.claim();
  return () => scene.takeOver();
}

function assertOverloaded(error: unknown): void {
  assert.ok(error instanceof Problem, String(error));
  assert.equal(error.kind, "overloaded");
}

function same(one: Tables, other: Tables): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Until the server has noticed which connections are gone, and undone what they had begun. */
async function quiet(client: Client): Promise<void> {
  for (let busy = 1; busy > 0;) {
    const { rowCount } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
         AND backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()`,
    );
    busy = rowCount ?? 0;
  }
}

async function count(client: Client): Promise<Tables> {
  const counts = TABLES.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const { rows } = await client.query<Tables>(
    `SELECT ${counts.join(", ")},
       (SELECT count(*)::int FROM messages WHERE phase = 1) AS active,
       (SELECT count(*)::int FROM messages WHERE queue IS NOT NULL) AS slots,
       (SELECT count(*)::int FROM log_entries WHERE state = 'ACTIVE') AS active_entries,
       (SELECT count(*)::int FROM log_entries WHERE started_at IS NOT NULL) AS kept_attempts`,
  );
  return rows[0] ?? {};
}

const TABLES = ["facts", "messages", "log_entries", "dead_letters", "deduplications"];
