import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Client } from "pg";

import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { type Migration, readMigrations } from "../../src/store/schema.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { Scene } from "./scene.ts";

export interface EarlierProgram {
  /** The migration that it did not know yet. */
  readonly before: string;
  /** What it has stored; `bytes` writes a value of bytes for the database. */
  readonly rows: (bytes: (text: string) => string) => string;
}

/** A test of either database as an earlier program has left it. */
export function afterEarlierProgram(
  name: string,
  { before, rows }: EarlierProgram,
  judge: (scene: Scene) => Promise<void>,
): void {
  test(`SQLite: ${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "postrider-old-"));
    const path = join(folder, "data.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE schema_info (version INTEGER NOT NULL, oldest_program INTEGER)");
    const migrations = migrationsBefore("sqlite", before);
    database.exec(
      stored(
        migrations,
        rows((text) => `x'${Buffer.from(text).toString("hex")}'`),
      ),
    );
    database.close();
    const clock = new ManualClock();
    const store = await SqliteStore.open({ path, clock, onFatal });
    await judge(new Scene(store, clock));
    await store.close();
    rmSync(folder, { recursive: true });
  });

  test(`PostgreSQL: ${name}`, { skip: postgresMissing() }, async () => {
    const database = await freshDatabase();
    const { url } = database;
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("CREATE TABLE schema_info (version integer, oldest_program integer)");
    const migrations = migrationsBefore("postgres", before);
    await client.query(
      stored(
        migrations,
        rows((text) => `'${text}'`),
      ),
    );
    await client.query("SELECT setval('log_numbers', 100)");
    await client.end();
    const clock = new ManualClock();
    const store = await PostgresStore.open({ url, clock, time: "given" });
    await judge(new Scene(store, clock));
    await store.close();
    await database.drop();
  });
}

function onFatal(error: Error): never {
  throw error;
}

function migrationsBefore(driver: "sqlite" | "postgres", before: string): Migration[] {
  const all = readMigrations(new URL(`../../src/store/${driver}/migrations/`, import.meta.url));
  return all.slice(
    0,
    all.findIndex(({ name }) => name.includes(before)),
  );
}

function stored(migrations: readonly Migration[], rows: string): string {
  const version = `INSERT INTO schema_info (version, oldest_program) VALUES (${migrations.length}, 1)`;
  return [version, ...migrations.map(({ sql }) => sql), rows].join(";\n");
}
