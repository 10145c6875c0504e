import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Clock } from "../../src/platform/clock.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { takeSchema } from "./kept-schemas.ts";
import { startKeptThreads } from "./kept-threads.ts";
import { postgresMissing, withClient } from "./postgres-url.ts";

/** A store to test, empty when opened and without a trace when closed. */
export interface StoreKind {
  readonly name: string;
  /** Why it cannot be tested here; false when it can. */
  readonly skip: string | false;
  open(clock: Clock): Promise<OpenStore>;
}

export interface OpenStore {
  readonly store: Store;
  /** Asks the database itself, past the store; absent where only the store can be asked. */
  readonly select?: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

export const STORES: readonly StoreKind[] = [
  { name: "SQLite in memory", skip: false, open: openInMemory },
  { name: "SQLite on disk", skip: false, open: openOnDisk },
  { name: "PostgreSQL", skip: postgresMissing(), open: openPostgres },
];

async function openInMemory(clock: Clock): Promise<OpenStore> {
  const store = await SqliteStore.open({ path: ":memory:", clock, onFatal });
  return { store, close: () => store.close() };
}

async function openOnDisk(clock: Clock): Promise<OpenStore> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-store-"));
  const path = join(folder, "data.db");
  const startThreads = startKeptThreads;
  const store = await SqliteStore.open({ path, clock, onFatal, startThreads });
  return {
    store,
    select: async (sql) => {
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openPostgres(clock: Clock): Promise<OpenStore> {
  const kept = await takeSchema();
  const { url, schema } = kept;
  const store = await PostgresStore.open({ url, clock, schema, time: "given" });
  return {
    store,
    select: (sql) =>
      withClient(url, async (client) => {
        await client.query(`SET search_path = ${schema}`);
        return (await client.query<Record<string, unknown>>(sql)).rows;
      }),
    close: async () => {
      await store.close();
      await kept.giveBack();
    },
  };
}

function onFatal(error: Error): never {
  throw error;
}
