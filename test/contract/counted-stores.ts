/**
 * Stores that count their work, so that a test can compare costs without a clock: rows and
 * statements on SQLite, pages on PostgreSQL.
 */
import { after, describe, test } from "node:test";
import { DatabaseSync, StatementSync } from "node:sqlite";

import { Client } from "pg";

import type { Clock } from "../../src/platform/clock.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { START_AT } from "../support/messages.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import { Scene } from "./scene.ts";

/** Runs `work` and returns what the store did for it, in units of its own. */
export type CostOf = (work: () => Promise<void>) => Promise<number>;

type Declare = (
  promise: (name: string, body: (scene: Scene, costOf: CostOf) => Promise<void>) => void,
) => void;

interface CountedStore {
  readonly store: Store;
  readonly costOf: CostOf;
  readonly close: () => Promise<void>;
}

interface CountedKind {
  readonly name: string;
  readonly skip: string | false;
  open(clock: Clock): Promise<CountedStore>;
}

/** The same promises for every store, each with the counter of its work. */
export function countedContract(subject: string, declare: Declare): void {
  for (const kind of KINDS) {
    describe(`${subject}: ${kind.name}`, () => {
      declare((name, body) => {
        test(name, { skip: kind.skip }, async () => {
          const clock = new ManualClock(START_AT);
          const { store, costOf, close } = await kind.open(clock);
          try {
            await body(new Scene(store, clock), costOf);
          } finally {
            await close();
          }
        });
      });
    });
  }
}

/** SQLite on disk runs the same code as in memory, and is slow to fill. */
const KINDS: readonly CountedKind[] = [
  { name: "SQLite in memory", skip: false, open: openSqlite },
  { name: "PostgreSQL", skip: postgresMissing(), open: openPostgres },
];

const PAGE_BYTES = 4096;

/** Statements run, rows visited by a WHERE or returned, and the pages of large values returned. */
let sqliteWork = 0;
const counted = new WeakSet<DatabaseSync>();

async function openSqlite(clock: Clock): Promise<CountedStore> {
  countSqliteWork();
  const store = await SqliteStore.open({ path: ":memory:", clock, onFatal });
  return { store, costOf: sqliteCostOf, close: () => store.close() };
}

async function sqliteCostOf(work: () => Promise<void>): Promise<number> {
  const before = sqliteWork;
  await work();
  return sqliteWork - before;
}

function onFatal(error: Error): never {
  throw error;
}

let isPatched = false;

/** SQLite has no counter of its own here, so a function that is true for every row counts them. */
function countSqliteWork(): void {
  if (isPatched) return;
  isPatched = true;
  around(DatabaseSync.prototype, "prepare", (prepare, database) => (sql) => {
    if (database instanceof DatabaseSync && !counted.has(database)) {
      counted.add(database);
      database.function("is_visited", countVisit);
    }
    return prepare(String(sql).replaceAll(/\bWHERE\b/g, "WHERE is_visited() AND"));
  });
  around(StatementSync.prototype, "all", (all) => (...values) => {
    sqliteWork += 1;
    return (all(...values) as object[]).map(countRow);
  });
  around(StatementSync.prototype, "get", (get) => (...values) => {
    sqliteWork += 1;
    const row = get(...values) as object | undefined;
    return row && countRow(row);
  });
  around(StatementSync.prototype, "run", (run) => (...values) => {
    sqliteWork += 1;
    return run(...values);
  });
  around(StatementSync.prototype, "iterate", (iterate) => (...values) => {
    return countRows(iterate(...values) as Iterable<object>);
  });
}

type Method = (...values: unknown[]) => unknown;

/** Replaces a method of a class by one that calls it. */
function around(prototype: object, name: string, wrap: (method: Method, self: object) => Method) {
  const original = Reflect.get(prototype, name) as Method;
  function wrapped(this: object, ...values: unknown[]): unknown {
    return wrap((...given) => Reflect.apply(original, this, given), this)(...values);
  }
  Reflect.set(prototype, name, wrapped);
}

function countVisit(): number {
  sqliteWork += 1;
  return 1;
}

function* countRows(rows: Iterable<object>): Generator<object> {
  for (const row of rows) yield countRow(row);
}

function countRow<Row extends object>(row: Row): Row {
  let bytes = 0;
  for (const value of Object.values(row)) {
    if (typeof value === "string") bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
  }
  sqliteWork += 1 + Math.floor(bytes / PAGE_BYTES);
  return row;
}

let server: Promise<PostgresServer> | undefined;
let schemas = 0;

async function openPostgres(clock: Clock): Promise<CountedStore> {
  server ??= startPostgres({
    settings: ["shared_preload_libraries=pg_stat_statements", "autovacuum=off"],
  });
  const { url } = await server;
  const schema = `counted_${++schemas}`;
  const store = await PostgresStore.open({ url, clock, schema, time: "given" });
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  const costOf: CostOf = async (work) => {
    await client.query("SELECT pg_stat_statements_reset()");
    await work();
    return pagesRead(client);
  };
  async function close(): Promise<void> {
    await client.end();
    await store.close();
  }
  return { store, costOf, close };
}

async function pagesRead(client: Client): Promise<number> {
  const { rows } = await client.query<{ pages: number }>(
    `SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0)::int AS pages
     FROM pg_stat_statements WHERE query !~ 'pg_stat'`,
  );
  return rows[0]!.pages;
}

after(async () => {
  await (await server)?.stop();
});
