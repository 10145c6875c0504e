import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { Client } from "pg";

import { Problem } from "../../../src/core/problem.ts";
import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import { startPostgres } from "../../support/postgres-server.ts";
import { until } from "../../support/eventually.ts";
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
  // The server may have ended a probe too, which is an outage until the next one.
  const answers = () => scene.phase(accepted[0]!).catch(assertOverloaded);
  await until(async () => (await answers()) !== undefined, "the store answers");
  for (const messageId of accepted) assert.ok(await scene.phase(messageId), messageId);
  assert.ok(accepted.length > 0);
  await store.close();
  await database.drop();
});

test("one read after all idle connections were ended unnoticed is answered", { skip }, async () => {
  const database = await freshDatabase();
  const connections = new Connections({ url: database.url, connectionsMax: 5 });
  const read = () => connections.readOne("SELECT 1 AS one", [], {});
  await Promise.all(Array.from({ length: 5 }, read));
  endConnectionsUnnoticed(database.url);
  assert.deepEqual((await read()).rows, [{ one: 1 }]);
  await connections.close();
  await database.drop();
});

test("so is one transaction", { skip }, async () => {
  const database = await freshDatabase();
  const connections = new Connections({ url: database.url, connectionsMax: 5 });
  const write = () =>
    connections.transaction((session) => session.query("SELECT 1 AS one FROM pg_sleep(0.01)"));
  await Promise.all(Array.from({ length: 5 }, write));
  endConnectionsUnnoticed(database.url);
  assert.deepEqual(await write(), [{ one: 1 }]);
  await connections.close();
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

/** Ends all other connections to the database while this process reads from none of its sockets. */
function endConnectionsUnnoticed(url: string): void {
  const script = `
    import { Client } from "pg";
    const client = new Client({ connectionString: ${JSON.stringify(url)} });
    await client.connect();
    await client.query("${END_OTHERS}");
    await client.end();`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
  assert.equal(status, 0, String(stderr));
}

/** Returns once they have ended. */
const END_OTHERS = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`.replaceAll("\n", " ");

function assertOverloaded(error: unknown): void {
  assert.ok(error instanceof Problem, String(error));
  assert.equal(error.kind, "overloaded");
  assert.equal(error.retryAfterSeconds, 1);
}
