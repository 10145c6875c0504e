import {
  type Migration,
  readMigrations,
  recordOf,
  requireProgram,
  SCHEMA_INFO_SQL,
  type SchemaInfo,
  toSchemaInfo,
} from "../../schema.ts";
import { type Database, prepareShared, transaction } from "../thread/connection.ts";
import { createViews } from "./views.ts";

export const MIGRATIONS = new URL("../migrations/", import.meta.url);

/** Upgrades the schema, each migration in a transaction of its own. Returns their names. */
export function migrate(database: Database, migrations = readMigrations(MIGRATIONS)): string[] {
  database.exec(
    "CREATE TABLE IF NOT EXISTS schema_info (version INTEGER NOT NULL, oldest_program INTEGER NOT NULL) STRICT",
  );
  requireProgram(schemaInfo(database));
  const applied: string[] = [];
  for (const migration of migrations) {
    if (transaction(database, () => applyOne(database, migration))) applied.push(migration.name);
  }
  createViews(database);
  return applied;
}

export function schemaInfo(database: Database): SchemaInfo {
  return toSchemaInfo(database.prepare(SCHEMA_INFO_SQL).get());
}

function applyOne(database: Database, migration: Migration): boolean {
  const before = schemaInfo(database);
  if (before.version >= migration.number) return false;
  database.exec(migration.sql);
  const [text, values] = recordOf(before, migration);
  prepareShared(database, text).run(...values);
  return true;
}
