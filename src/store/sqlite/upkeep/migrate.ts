import {
  FIRST_PROGRAM,
  type Migration,
  readMigrations,
  requireProgram,
  SCHEMA_INFO_SQL,
  type SchemaInfo,
  toSchemaInfo,
} from "../../schema.ts";
import { type Database, transaction } from "../thread/connection.ts";

const MIGRATIONS = new URL("../migrations/", import.meta.url);

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
  return applied;
}

function schemaInfo(database: Database): SchemaInfo {
  return toSchemaInfo(database.prepare(SCHEMA_INFO_SQL).get());
}

function applyOne(database: Database, { number, sql }: Migration): boolean {
  const { version } = schemaInfo(database);
  if (version >= number) return false;
  database.exec(sql);
  if (version === 0) {
    const added = "INSERT INTO schema_info (version, oldest_program) VALUES (?, ?)";
    database.prepare(added).run(number, FIRST_PROGRAM);
  } else {
    database.prepare("UPDATE schema_info SET version = ?").run(number);
  }
  return true;
}
