/** What nodes with nothing to do ask of their database, and that they still find everything. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";

import type { Client } from "pg";

import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { postgresMissing, withClient } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

const WATCHED_MS = 6_000;
const TRANSACTIONS_A_SECOND = 7;
/** A poll is two; a heartbeat, every five seconds, has a few more. */
const STATEMENTS_OF_TRANSACTION = 2.5;

test("idle nodes ask little of their database", { skip: postgresMissing() }, async (t) => {
  const settings = ["shared_preload_libraries=pg_stat_statements", "autovacuum=off"];
  const server = await startPostgres({ settings });
  t.after(() => server.stop());
  const destination = await DestinationServer.startFor(t);
  const flags = { databaseUrl: server.url, secretKey: "a-secret-key-of-the-cluster" };
  const nodes = [
    await TestService.startFor(t, { flags }),
    await TestService.startFor(t, { flags }),
  ] as const;
  await withClient(server.url, async (client) => {
    await client.query("CREATE EXTENSION pg_stat_statements");
    // The first second of a node is not idle, nor is the one in which the other joined.
    await setTimeout(2_000);
    const before = await asked(client);
    const startedAt = performance.now();
    await setTimeout(WATCHED_MS);
    const after = await asked(client);
    const nodeSeconds = (nodes.length * (performance.now() - startedAt)) / 1_000;
    const transactions = (after.transactions - before.transactions) / nodeSeconds;
    const statements = (after.statements - before.statements) / nodeSeconds;
    assert.ok(transactions > 1, `${transactions} transactions of a node in a second`);
    assert.ok(transactions <= TRANSACTIONS_A_SECOND, `${transactions} transactions`);
    assert.ok(statements <= STATEMENTS_OF_TRANSACTION * TRANSACTIONS_A_SECOND, `${statements}`);
  });
  const path = "/later";
  const headers = { "Svc-Delay": "1s" };
  await nodes[0].call("POST", `/v2/publish/${destination.url}${path}`, { headers });
  await until(() => destination.to(path).length > 0, "delivered");
});

/** By the nodes: this connection's own statements are left out. */
async function asked(client: Client): Promise<{ transactions: number; statements: number }> {
  const { rows } = await client.query<{ transactions: number; statements: number }>(
    `SELECT
      (SELECT sum(calls)::int FROM pg_stat_statements WHERE query !~ 'pg_stat') AS statements,
      (SELECT sum(calls)::int FROM pg_stat_statements
       WHERE query ~ 'set_config' AND query !~ 'pg_stat') AS transactions`,
  );
  return rows[0]!;
}
