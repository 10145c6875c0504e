/** What an earlier program has stored is read by this one as if it had stored it itself. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Client } from "pg";

import { encodeFacts } from "../../src/core/model/facts.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { type Migration, readMigrations } from "../../src/store/schema.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { aMessage } from "../support/messages.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

/** The migration from which on entries are kept together, and attempts with them. */
const STEPS = "log-steps";
const FACTS = encodeFacts(aMessage({ messageId: "old" })).replaceAll("'", "''");

const oldRows = (version: number, noBody: string, body: string): string => `
  INSERT INTO facts (account_id, message_id, created_at, facts, body)
    VALUES ('account', 'old', 1, '${FACTS}', ${noBody});
  INSERT INTO log_entries (account_id, number, message_id, at, state, attempt, status, error, next_at)
    VALUES ('account', 1, 'old', 1, 'CREATED', NULL, NULL, NULL, NULL),
      ('account', 2, 'old', 1, 'ACTIVE', 1, NULL, NULL, NULL),
      ('account', 3, 'old', 4, 'ERROR', 1, 500, 'no', NULL),
      ('account', 4, 'old', 4, 'RETRY', 1, NULL, NULL, 9),
      ('account', 5, 'old', 9, 'ACTIVE', 2, NULL, NULL, NULL),
      ('account', 6, 'old', 11, 'DELIVERED', 2, 200, NULL, NULL);
  INSERT INTO attempts (account_id, message_id, number, started_at, ended_at, status, error,
      headers, body)
    VALUES ('account', 'old', 1, 2, 3, 500, 'no', '[]', ${noBody}),
      ('account', 'old', 2, 9, 10, 200, NULL, '[["A","b"]]', ${body});
  INSERT INTO schema_info (version, oldest_program) VALUES (${version}, 1);`;

test("SQLite: the log of an earlier program is shown with its attempts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-old-"));
  const path = join(folder, "data.db");
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE schema_info (version INTEGER NOT NULL, oldest_program INTEGER)");
  const earlier = migrationsBefore("sqlite");
  database.exec(`${sqlOf(earlier)}; ${oldRows(earlier.length, "x''", "x'6869'")}`);
  database.close();
  await assertOldLog(await SqliteStore.open({ path, clock: new ManualClock(), onFatal }));
  rmSync(folder, { recursive: true });
});

test(
  "PostgreSQL: the log of an earlier program is shown with its attempts",
  { skip: postgresMissing() },
  async () => {
    const database = await freshDatabase();
    const { url } = database;
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("CREATE TABLE schema_info (version integer, oldest_program integer)");
    const earlier = migrationsBefore("postgres");
    await client.query(`${sqlOf(earlier)}; ${oldRows(earlier.length, "''", "'hi'")}`);
    await client.query("SELECT setval('log_numbers', 6)");
    await client.end();
    await assertOldLog(await PostgresStore.open({ url, clock: new ManualClock() }));
    await database.drop();
  },
);

function onFatal(error: Error): never {
  throw error;
}

function migrationsBefore(driver: "sqlite" | "postgres"): Migration[] {
  const all = readMigrations(new URL(`../../src/store/${driver}/migrations/`, import.meta.url));
  return all.slice(
    0,
    all.findIndex(({ name }) => name.includes(STEPS)),
  );
}

function sqlOf(migrations: readonly Migration[]): string {
  return migrations.map(({ sql }) => sql).join("\n");
}

async function assertOldLog(store: Store): Promise<void> {
  const page = { after: null, count: 10, order: "earliestFirst" } as const;
  const { items } = await store.reader.log("account", {}, page);
  const shown = items.map(({ entry, attempt }) => {
    const answer = attempt && `${attempt.startedAt}-${attempt.endedAt} ${attempt.headers}`;
    const body = attempt && Buffer.from(attempt.body).toString();
    return [entry.at, entry.state, entry.status, entry.error, entry.nextAt, answer, body];
  });
  assert.deepEqual(shown, [
    [1, "CREATED", undefined, undefined, undefined, null, null],
    [1, "ACTIVE", undefined, undefined, undefined, null, null],
    [4, "ERROR", 500, "no", undefined, "2-3 []", ""],
    [4, "RETRY", undefined, undefined, 9, null, null],
    [9, "ACTIVE", undefined, undefined, undefined, null, null],
    [11, "DELIVERED", 200, undefined, undefined, '9-10 [["A","b"]]', "hi"],
  ]);
  await store.close();
}
