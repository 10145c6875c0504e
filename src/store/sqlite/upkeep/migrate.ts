import { type Migration, readMigrations, requireProgram } from "../../schema.ts";
import { type Database, transaction } from "../thread/connection.ts";

const MIGRATIONS = new URL("../migrations/", import.meta.url);

/** Brings the schema up to date, each migration in a transaction of its own. Returns their names. */
export function migrate(database: Database): string[] {
  database.exec(
    "CREATE TABLE IF NOT EXISTS schema_info (version INTEGER NOT NULL, oldest_program INTEGER NOT NULL) STRICT",
  );
  requireProgram(schemaInfo(database).oldestProgram);
  const applied: string[] = [];
  for (const migration of readMigrations(MIGRATIONS)) {
    if (transaction(database, () => applyOne(database, migration))) applied.push(migration.name);
  }
  return applied;
}

export function schemaInfo(database: Database): { version: number; oldestProgram: number } {
  const row = database.prepare("SELECT version, oldest_program FROM schema_info").get();
  return {
    version: Number(row?.["version"] ?? 0),
    oldestProgram: Number(row?.["oldest_program"] ?? 1),
  };
}

function applyOne(database: Database, { number, sql }: Migration): boolean {
  const { version } = schemaInfo(database);
  if (version >= number) return false;
  database.exec(sql);
  if (version === 0) {
    database.prepare("INSERT INTO schema_info (version, oldest_program) VALUES (?, 1)").run(number);
  } else {
    database.prepare("UPDATE schema_info SET version = ?").run(number);
  }
  return true;
}
