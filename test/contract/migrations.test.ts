/** The runner of migrations: what it applies, and which databases it leaves alone. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Client } from "pg";

import { Connections } from "../../src/store/postgres/driver/connection.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { migrate as migratePostgres } from "../../src/store/postgres/upkeep/migrate.ts";
import { type Migration, readMigrations } from "../../src/store/schema.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openWriter } from "../../src/store/sqlite/thread/connection.ts";
import { migrate as migrateSqlite } from "../../src/store/sqlite/upkeep/migrate.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const skip = postgresMissing();

/** Made up: what a later version might add to the schema of this one. */
const COLORS = "CREATE TABLE colors (name text NOT NULL); INSERT INTO colors VALUES ('red');";
const UNFINISHED = "CREATE TABLE shapes (name text NOT NULL); SELECT missing FROM shapes;";

/** From before the first release: its migrations were other ones, and its program an earlier one. */
const BEFORE_RELEASE =
  "CREATE TABLE schema_info (version INTEGER NOT NULL, oldest_program INTEGER NOT NULL); INSERT INTO schema_info VALUES (17, 3);";
const REFUSAL = /from before its first release.*Start with a new one/;

test("SQLite: a later migration is applied once, and one that fails leaves nothing", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-migrations-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const database = openWriter(join(folder, "data.db"));
  t.after(() => database.close());
  const [first] = migrationsOf("sqlite");
  assert.deepEqual(migrateSqlite(database, [first]), [first.name]);
  assert.deepEqual(migrateSqlite(database, [first, second(COLORS)]), ["0002-made-up.sql"]);
  assert.deepEqual(migrateSqlite(database, [first, second(COLORS)]), []);
  assert.equal(database.prepare("SELECT name FROM colors").all().length, 1);
  assert.throws(() => migrateSqlite(database, [first, second(COLORS), third(UNFINISHED)]));
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'shapes'").all();
  assert.deepEqual(tables, []);
});

test(
  "PostgreSQL: a later migration is applied once, and one that fails leaves nothing",
  {
    skip,
  },
  async () => {
    const database = await freshDatabase();
    const { url } = database;
    const connections = new Connections({ url, connectionsMax: 1 });
    const [first] = migrationsOf("postgres");
    const migrate = (...migrations: Migration[]) =>
      migratePostgres(connections, undefined, migrations);
    assert.deepEqual(await migrate(first), [first.name]);
    assert.deepEqual(await migrate(first, second(COLORS)), ["0002-made-up.sql"]);
    assert.deepEqual(await migrate(first, second(COLORS)), []);
    await assert.rejects(migrate(first, second(COLORS), third(UNFINISHED)));
    const [found] = await connections.transaction((session) =>
      session.query(
        "SELECT to_regclass('shapes') AS shapes, (SELECT count(*)::int FROM colors) AS colors",
      ),
    );
    assert.deepEqual([found?.["shapes"], found?.["colors"]], [null, 1]);
    await connections.close();
    await database.drop();
  },
);

test("SQLite: a database from before the first release is refused and left alone", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-migrations-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "data.db");
  const old = new DatabaseSync(path);
  old.exec(BEFORE_RELEASE);
  old.close();
  const options = { path, clock: new ManualClock(), onFatal: () => undefined };
  await assert.rejects(SqliteStore.open(options), REFUSAL);
  // It goes with the last connection.
  assert.equal(existsSync(`${path}-wal`), false);
  const left = new DatabaseSync(path, { readOnly: true });
  t.after(() => left.close());
  assert.equal(left.prepare("SELECT name FROM sqlite_schema").all().length, 1);
});

test(
  "PostgreSQL: a database from before the first release is refused and left alone",
  {
    skip,
  },
  async () => {
    const database = await freshDatabase();
    const { url } = database;
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("CREATE SCHEMA IF NOT EXISTS postrider");
    await client.query(`SET search_path = postrider; ${BEFORE_RELEASE}`);
    await assert.rejects(PostgresStore.open({ url, clock: new ManualClock() }), REFUSAL);
    const { rows } = await client.query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'postrider'::regnamespace",
    );
    assert.deepEqual(rows, [{ relname: "schema_info" }]);
    await client.end();
    await database.drop();
  },
);

/** The first one. */
function migrationsOf(driver: string): [Migration] {
  const folder = new URL(`../../src/store/${driver}/migrations/`, import.meta.url);
  const [first] = readMigrations(folder);
  assert.ok(first !== undefined);
  return [first];
}

function second(sql: string): Migration {
  return { number: 2, name: "0002-made-up.sql", sql };
}

function third(sql: string): Migration {
  return { number: 3, name: "0003-unfinished.sql", sql };
}
