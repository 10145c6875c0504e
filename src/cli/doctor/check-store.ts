/** The database: its version, its schema, and the settings that decide whether it loses something. */
import { existsSync } from "node:fs";
import { givenOrStoredKeys } from "../../config/secret-key-file.ts";
import type { Settings } from "../../config/settings.ts";
import { systemClock } from "../../platform/clock.ts";
import { databasePath } from "../../service.ts";
import { connectionConfig } from "../../store/postgres/driver/connection-config.ts";
import { serverOf } from "../../store/postgres/driver/errors.ts";
import { toAccountRecord } from "../../store/records/resource-tables.ts";
import { type Row, toServiceRecord } from "../../store/records/rows.ts";
import { openReader } from "../../store/sqlite/thread/connection.ts";
import { encryptionIn } from "../../store/sqlite/upkeep/backup.ts";
import { checkSecretKey } from "./check-secret.ts";
import type { Finding } from "./finding.ts";
import { durationText } from "../terminal/time-text.ts";

/** Reads only, beside a server or without one. */
export function* checkSqlite(settings: Settings): Generator<Finding> {
  const path = databasePath(settings);
  if (!existsSync(path)) {
    yield { check: "database", state: "ok", says: "there is none yet; the first start creates it" };
    return;
  }
  try {
    const database = openReader(path);
    try {
      const one = (sql: string): unknown => Object.values(database.prepare(sql).get() ?? {})[0];
      const version = String(one("SELECT sqlite_version()"));
      const schema = String(one("SELECT version FROM schema_info"));
      const says = `SQLite ${version}, schema ${schema}`;
      yield one("PRAGMA journal_mode") === "wal"
        ? { check: "database", state: "ok", says }
        : {
            check: "database",
            state: "warning",
            says: `${says}, without a write-ahead log`,
            advice: "start the server once; on a network file system move the data to a local disk",
          };
      const { secretKey, firstAccount } = encryptionIn(database);
      yield checkSecretKey(givenOrStoredKeys(settings), secretKey, firstAccount);
    } finally {
      database.close();
    }
  } catch (error) {
    yield {
      check: "database",
      state: "problem",
      says: `${path} cannot be read: ${(error as Error).message}`,
      advice: "is it a database of Postrider, and whole? else restore a backup",
    };
  }
}

export async function* checkPostgres(settings: Settings): AsyncGenerator<Finding> {
  const { databaseUrl = "", databaseSchema, secretKey } = settings;
  if (secretKey === undefined) {
    yield {
      check: "secret key",
      state: "problem",
      says: "POSTRIDER_SECRET_KEY is not set",
      advice: "give the same one to every node: it decrypts the signing keys",
    };
  }
  const { Client } = await import("pg");
  const client = new Client({ ...connectionConfig(databaseUrl), connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  const { host, database } = serverOf(databaseUrl);
  try {
    await client.connect();
    const startedAt = systemClock.monotonic();
    const { rows } = await client.query<PostgresFacts>(FACTS_SQL, [
      `${databaseSchema}.schema_info`,
    ]);
    yield* judge(rows[0]!, systemClock.monotonic() - startedAt, databaseSchema);
    if (rows[0]!.has_schema && secretKey !== undefined) {
      const read = async (sql: string) => (await client.query<Row>(sql)).rows[0];
      const service = await read(`SELECT record FROM "${databaseSchema}".service`);
      const first = await read(
        `SELECT record FROM "${databaseSchema}".accounts ORDER BY account_id LIMIT 1`,
      );
      const account = first === undefined ? null : toAccountRecord(first);
      const mark = toServiceRecord(service).secretKey ?? null;
      yield checkSecretKey(givenOrStoredKeys(settings), mark, account);
    }
  } catch (error) {
    yield {
      check: "database",
      state: "problem",
      says: `${host}, database ${database}: ${(error as Error).message}`,
      advice: "check --database-url, the network, and pg_hba.conf of the server",
    };
  } finally {
    await client.end().catch(() => {});
  }
}

interface PostgresFacts {
  readonly version: number;
  readonly version_text: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly is_standby: boolean;
  readonly now_ms: number;
  readonly max_connections: number;
  readonly connections: number;
  readonly has_schema: boolean;
}

function* judge(facts: PostgresFacts, tripMs: number, schema: string): Generator<Finding> {
  const says = `PostgreSQL ${facts.version_text}, one round trip takes ${durationText(tripMs)}`;
  if (facts.version < OLDEST) {
    yield { check: "database", state: "problem", says, advice: "14 or newer is needed" };
  } else if (facts.is_standby) {
    const advice = "it is a standby, which takes no writes; name the primary";
    yield { check: "database", state: "problem", says, advice };
  } else {
    yield { check: "database", state: "ok", says };
  }
  yield {
    check: "schema",
    state: "ok",
    says: facts.has_schema ? `${schema} is there` : `${schema} is not there yet`,
  };
  for (const setting of ["fsync", "full_page_writes", "synchronous_commit"] as const) {
    if (facts[setting] !== "off") continue;
    yield {
      check: "durability",
      state: "warning",
      says: `${setting} is off: accepted messages can be lost`,
      advice: `set ${setting} = on in postgresql.conf`,
    };
  }
  const stepMs = Math.abs(facts.now_ms - systemClock.wall());
  if (stepMs > CLOCK_STEP_MS) {
    yield {
      check: "clock",
      state: "warning",
      says: `the clock of the database differs by ${durationText(stepMs)}`,
      advice: "keep both set with NTP; nodes follow the clock of the database",
    };
  }
  if (facts.connections > facts.max_connections * 0.8) {
    yield {
      check: "connections",
      state: "warning",
      says: `${facts.connections} of ${facts.max_connections} connections are in use`,
      advice: "raise max_connections, or put a pooler between",
    };
  }
}

const FACTS_SQL = `SELECT current_setting('server_version_num')::int AS version,
  current_setting('server_version') AS version_text,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS full_page_writes,
  (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS synchronous_commit,
  pg_is_in_recovery() AS is_standby,
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms,
  current_setting('max_connections')::int AS max_connections,
  (SELECT count(*)::int FROM pg_stat_activity) AS connections,
  to_regclass($1) IS NOT NULL AS has_schema`;
const OLDEST = 140_000;
const CLOCK_STEP_MS = 5_000;
