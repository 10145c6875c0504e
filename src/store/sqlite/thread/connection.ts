import { DatabaseSync, type StatementSync } from "node:sqlite";

/** The only file that knows which SQLite this is. */
export type Database = DatabaseSync;

/** 3.51.3 fixed a corruption that two connections could cause in WAL mode. */
const OLDEST_SQLITE = [3, 51, 3] as const;
const CACHE_KIB = 16 * 1024;
/** Also while it opens: another connection may be recovering the log of a process that was killed. */
const PATIENCE_MS = 5_000;

/** Opens the one connection that writes. */
export function openWriter(path: string): Database {
  const database = new DatabaseSync(path, { timeout: PATIENCE_MS });
  requireVersion(database);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 2000;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    PRAGMA cache_size = -${CACHE_KIB};
  `);
  return database;
}

/** Opens a connection that can only read. */
export function openReader(path: string): Database {
  const database = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS });
  database.exec("PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;");
  return database;
}

/**
 * An acknowledged message must survive a power cut. SQLite may report FULL until the first write
 * and then act on another setting, so this is checked after one.
 */
export function requireDurable(database: Database): void {
  const row = database.prepare("PRAGMA synchronous").get();
  if (row?.["synchronous"] !== 2) {
    throw new Error("SQLite did not accept synchronous=FULL; refusing to acknowledge messages");
  }
}

function requireVersion(database: Database): void {
  const text = String(database.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  const parts = text.split(".").map(Number);
  const difference = OLDEST_SQLITE.map((part, index) => (parts[index] ?? 0) - part).find(Boolean);
  if ((difference ?? 0) < 0) {
    throw new Error(
      `SQLite ${text} of Node ${process.version} is too old: ${OLDEST_SQLITE.join(".")} or newer is needed, which Node 22.23 and 24 have; or use PostgreSQL with --database-url`,
    );
  }
}

/** Prepares every statement of a table, by its name. */
export function prepareAll<Name extends string>(
  database: Database,
  sql: Readonly<Record<Name, string>>,
): Readonly<Record<Name, StatementSync>> {
  const names = Object.keys(sql) as Name[];
  const prepared = names.map((name) => [name, prepareShared(database, sql[name])]);
  return Object.fromEntries(prepared) as Record<Name, StatementSync>;
}

/**
 * Prepares a text that both drivers may use. SQLite would number parameters that begin with `$` in
 * the order in which they appear.
 */
export function prepareShared(database: Database, text: string): StatementSync {
  return database.prepare(text.replaceAll(/\$(?=\d)/g, "?"));
}

/** Commits of `work` reach the operating system, and the disk with the next durable commit. */
export function withoutWaiting<T>(database: Database, work: () => T): T {
  database.exec("PRAGMA synchronous = NORMAL");
  try {
    return work();
  } finally {
    database.exec("PRAGMA synchronous = FULL");
  }
}

export function transaction<T>(database: Database, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
