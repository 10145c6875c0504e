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
import { StoreOpenError } from "../../store-open-error.ts";
import { createViews } from "./views.ts";

export const MIGRATIONS = new URL("../migrations/", import.meta.url);
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
  await connections.transaction(createViews, PATIENCE);
  return applied;
}

export async function schemaInfo(session: Session): Promise<SchemaInfo> {
  return toSchemaInfo((await session.query(SCHEMA_INFO_SQL))[0]);
}

async function prepare(session: Session, schema: string | undefined): Promise<void> {
  await lockSchema(session);
  // A schema that exists needs no right to create it.
  if (!(await isOurs(session))) {
    await requireEmpty(session);
    await requireNoOldLayout(session);
    if (schema !== undefined && !(await exists(session, schema))) {
      await session.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
    }
    await session.query(
      "CREATE TABLE schema_info (version integer NOT NULL, oldest_program integer NOT NULL)",
    );
  }
  requireProgram(await schemaInfo(session));
}

/** `IF NOT EXISTS` demands the right to create a schema even of one that exists. */
async function exists(session: Session, schema: string): Promise<boolean> {
  const [row] = await session.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  return row !== undefined;
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

const FOREIGN_NAMED_MAX = 3;
/** Later ones have every table in a schema of its own. */
const LAST_PROGRAM_IN_PUBLIC = 3;
const OWN_SCHEMA = "postrider";

/** Tables of another program are left alone, whatever their names. */
async function requireEmpty(session: Session): Promise<void> {
  const found = await session.query(
    `SELECT relname AS name, current_schema() AS schema, current_database() AS database
     FROM pg_class WHERE relnamespace = current_schema()::regnamespace
       AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S') ORDER BY relname LIMIT ${FOREIGN_NAMED_MAX}`,
  );
  const [first] = found;
  if (first === undefined) return;
  const names = found.map(({ name }) => String(name)).join(", ");
  throw new StoreOpenError(
    `the schema ${String(first["schema"])} of the database ${String(first["database"])} holds tables of another program (${names}), so nothing was changed there. Give --database-schema another name, such as ${await freeSchema(session)}`,
  );
}

/** A name that no schema of the database has. */
async function freeSchema(session: Session): Promise<string> {
  const rows = await session.query("SELECT nspname AS name FROM pg_namespace");
  const taken = new Set(rows.map(({ name }) => name));
  let name = OWN_SCHEMA;
  for (let number = 2; taken.has(name); number++) name = `${OWN_SCHEMA}_${number}`;
  return name;
}

/**
 * Programs before the first release had their tables in the schema public. A service that began
 * with an empty schema beside them would seem to have lost everything.
 */
async function requireNoOldLayout(session: Session): Promise<void> {
  const [{ is_like_ours: isLikeOurs, database } = {}] = await session.query(IS_LIKE_OURS);
  if (isLikeOurs !== true) return;
  const rows = await session.query("SELECT version, oldest_program FROM public.schema_info");
  const [row] = rows;
  const program = Number(row?.["oldest_program"]);
  const isOld = rows.length === 1 && program >= 1 && program <= LAST_PROGRAM_IN_PUBLIC;
  if (!isOld || Number(row?.["version"]) < 1) return;
  throw new StoreOpenError(
    `the schema public of the database ${String(database)} holds the data of a postrider from before its first release, which this one cannot read; starting would put an empty service beside it, so nothing was changed there. Name another database in --database-url, or, to start empty in this one, rename the old table first: ALTER TABLE public.schema_info RENAME TO old_schema_info`,
  );
}

/** Our table of migrations has these two columns of this type and no other, and may be read. */
const IS_LIKE_OURS = `SELECT current_database() AS database,
    count(*) = 2
      AND bool_and(attname IN ('version', 'oldest_program') AND atttypid = 'int4'::regtype AND attnotnull)
      AND bool_and(has_table_privilege(attrelid, 'SELECT')) AS is_like_ours
  FROM pg_attribute
  WHERE attrelid = to_regclass('public.schema_info') AND attnum > 0 AND NOT attisdropped`;
