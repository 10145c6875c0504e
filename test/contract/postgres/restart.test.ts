import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "pg";

import { Problem } from "../../../src/core/problem.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import { startPostgres } from "../../support/postgres-server.ts";
import { Scene } from "../scene.ts";

const skip = postgresMissing();

test("connections that the server ends, idle or at work, are replaced", { skip }, async () => {
  const database = await freshDatabase();
  const clock = new ManualClock();
  const store = await PostgresStore.open({ url: database.url, clock, time: "given" });
  const scene = new Scene(store, clock);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const accepted: string[] = [];
  for (let round = 0; round < 10; round++) {
    const publishing = Array.from({ length: 20 }, async (_, index) => {
      accepted.push(await scene.publish(`${round}-${index}`));
    });
    const working = [...publishing, scene.claim({ slots: 3 }), scene.store.beat("node")];
    const worked = Promise.allSettled(working);
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    for (const result of await worked) {
      if (result.status === "rejected") assertOverloaded(result.reason);
    }
  }
  await client.end();
  for (const messageId of accepted) assert.ok(await scene.phase(messageId), messageId);
  assert.ok(accepted.length > 0);
  await store.close();
  await database.drop();
});

test("a server that is gone is an outage, and nothing ends the process", { skip }, async () => {
  const server = await startPostgres();
  const clock = new ManualClock();
  const store = await PostgresStore.open({ url: server.url, clock, time: "given" });
  const scene = new Scene(store, clock);
  await scene.publish("a");
  const underWay = Promise.allSettled([scene.publish("b"), scene.claim(), store.beat("node")]);
  await server.stop();
  await underWay;
  const asked = [
    scene.publish("c"),
    scene.claim(),
    store.beat("node"),
    store.reader.upkeep.counts(),
  ];
  for (const result of await Promise.allSettled(asked)) {
    assert.equal(result.status, "rejected");
    assertOverloaded(result.reason);
  }
  await store.close();
});

function assertOverloaded(error: unknown): void {
  assert.ok(error instanceof Problem, String(error));
  assert.equal(error.kind, "overloaded");
  assert.equal(error.retryAfterSeconds, 1);
}
