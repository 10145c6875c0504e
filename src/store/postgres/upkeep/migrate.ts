import { escapeIdentifier } from "pg";

import {
  type Migration,
  readMigrations,
  recordOf,
  requireProgram,
  SCHEMA_INFO_SQL,
  type SchemaInfo,
  toSchemaInfo,
} from "../../schema.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { lockSchema } from "../claim/line-lock.ts";
import { requireEmpty, requireNoOldLayout } from "./first-start.ts";

const MIGRATIONS = new URL("../migrations/", import.meta.url);
const PATIENCE = { lockTimeoutMs: 60_000, statementTimeoutMs: 0 };

/**
 * Upgrades the schema, each migration in a transaction of its own. Nodes that start at once do so
 * in turn. Returns the names of the migrations that this call has applied.
 */
export async function migrate(
  connections: Connections,
  schema?: string,
  migrations = readMigrations(MIGRATIONS),
): Promise<string[]> {
  await connections.transaction((session) => prepare(session, schema), PATIENCE);
  const applied: string[] = [];
  for (const migration of migrations) {
    const done = await connections.transaction((session) => applyOne(session, migration), PATIENCE);
    if (done) applied.push(migration.name);
  }
  return applied;
}

async function schemaInfo(session: Session): Promise<SchemaInfo> {
  return toSchemaInfo((await session.query(SCHEMA_INFO_SQL))[0]);
}

async function prepare(session: Session, schema: string | undefined): Promise<void> {
  await lockSchema(session);
  // A schema that exists needs no right to create it.
  if (!(await isOurs(session))) {
    await requireEmpty(session);
    await requireNoOldLayout(session);
    if (schema !== undefined) {
      await session.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
    }
    await session.query(
      "CREATE TABLE schema_info (version integer NOT NULL, oldest_program integer NOT NULL)",
    );
  }
  requireProgram(await schemaInfo(session));
}

async function isOurs(session: Session): Promise<boolean> {
  const [row] = await session.query(
    `SELECT count(*)::int AS columns FROM pg_attribute
     WHERE attrelid = to_regclass('schema_info') AND attname IN ('version', 'oldest_program')`,
  );
  return row?.["columns"] === 2;
}

async function applyOne(session: Session, migration: Migration): Promise<boolean> {
  await lockSchema(session);
  const before = await schemaInfo(session);
  if (before.version >= migration.number) return false;
  await session.script(migration.sql);
  await session.query(...recordOf(before, migration));
  return true;
}
