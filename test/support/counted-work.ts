/**
 * Counts what a store does, so that a test can compare costs without a clock: rows and statements on
 * SQLite in this thread, pages on PostgreSQL.
 */
import { DatabaseSync, StatementSync } from "node:sqlite";
import { after } from "node:test";

import { Client } from "pg";

import { type PostgresServer, startPostgres } from "./postgres-server.ts";

/** Runs `work` and returns what the store did for it, in units of its own. */
export type CostOf = (work: () => Promise<void>) => Promise<number>;

const PAGE_BYTES = 4096;

/** Statements run, rows visited by a WHERE or returned, and the pages of large values returned. */
let sqliteWork = 0;
const counted = new WeakSet<DatabaseSync>();

export async function sqliteCostOf(work: () => Promise<void>): Promise<number> {
  const before = sqliteWork;
  await work();
  return sqliteWork - before;
}

let isPatched = false;

/** SQLite has no counter of its own here, so a function that is true for every row counts them. */
export function countSqliteWork(): void {
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

/** The server whose pages are counted, one for all tests of the process. */
export function countedPostgres(): Promise<PostgresServer> {
  server ??= startPostgres({
    settings: ["shared_preload_libraries=pg_stat_statements", "autovacuum=off"],
  });
  return server;
}

/** Counts over a connection of its own. */
export async function postgresCostOf(
  url: string,
): Promise<{ readonly costOf: CostOf; readonly close: () => Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  const costOf: CostOf = async (work) => {
    await othersIdle(client);
    await client.query("SELECT pg_stat_statements_reset()");
    await work();
    await othersIdle(client);
    return pagesRead(client);
  };
  return { costOf, close: () => client.end() };
}

/** A statement is counted when its connection has done with it, which is after its rows have come. */
async function othersIdle(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ busy: number }>(
      `SELECT count(*)::int AS busy FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()`,
    );
    if (rows[0]!.busy === 0) return;
  }
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
