/** A backup is a copy of the database that also says when it was made and what must be in it. */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { AccountRecord, SecretKeyMark } from "../../../core/model/account/account.ts";
import { toAccountRecord } from "../../records/resource-tables.ts";
import { toServiceRecord } from "../../records/rows.ts";
import { requireProgram, SCHEMA_INFO_SQL, toSchemaInfo } from "../../schema.ts";

export interface BackupFacts {
  readonly madeAt: number;
  /** The version of the program that made it. */
  readonly version: string;
  /** The secret key, sealed by a passphrase; null when it was left out. */
  readonly sealedKey: string | null;
}

/** What tells which secret key encrypts the signing keys in a database. */
export interface Encryption {
  /** Null while the secret key is the first one. */
  readonly secretKey: SecretKeyMark | null;
  readonly firstAccount: AccountRecord | null;
}

export type NewBackup = Omit<BackupFacts, "sealedKey">;

export interface Backup {
  readonly tables: TableCount[];
  /** Of the copy: the secret key may be rotated meanwhile. */
  readonly encryption: Encryption;
}

/** What would be sent after a restore. */
export interface UnfinishedWork {
  readonly messages: number;
  readonly runs: number;
  readonly schedules: number;
}

export interface TableCount {
  readonly name: string;
  readonly rows: number;
}

/** The file is no backup, or not whole. */
export class BackupError extends Error {}

/**
 * Copies the database at one instant, while a service may write to it. `target` is an empty file;
 * the copy has its mode.
 */
export function writeBackup(
  source: string,
  target: string,
  { madeAt, version }: NewBackup,
): Backup {
  const live = new DatabaseSync(source, { readOnly: true });
  try {
    live.exec("PRAGMA busy_timeout = 5000");
    live.prepare("VACUUM INTO ?").run(target);
  } finally {
    live.close();
  }
  const copy = new DatabaseSync(target);
  try {
    const encryption = encryptionIn(copy);
    copy.exec(`PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN; ${CREATE_SQL}`);
    copy.prepare("INSERT INTO backup VALUES (1, ?, ?, NULL)").run(madeAt, version);
    const tables = tableNames(copy).map((name) => digestOf(copy, name));
    const add = copy.prepare("INSERT INTO backup_tables VALUES (?, ?, ?)");
    for (const { name, rows, sha256 } of tables) add.run(name, rows, sha256);
    copy.exec("COMMIT");
    return { tables, encryption };
  } finally {
    copy.close();
  }
}

/** Puts the sealed secret key into a backup. */
export function sealBackup(path: string, sealedKey: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec("PRAGMA synchronous = FULL");
    copy.prepare("UPDATE backup SET sealed_key = ?").run(sealedKey);
  } finally {
    copy.close();
  }
}

export interface VerifiedBackup extends BackupFacts, Pick<Encryption, "secretKey"> {
  readonly tables: TableCount[];
}

/** Reads every row. Throws a BackupError when one is missing or differs. */
export function verifyBackup(path: string): VerifiedBackup {
  return reading(path, (database) => {
    const facts = factsOf(database);
    const { integrity_check: said } = database.prepare("PRAGMA integrity_check(1)").get()!;
    if (said !== "ok") throw new BackupError(`it is damaged: ${String(said)}`);
    requireProgram(toSchemaInfo(database.prepare(SCHEMA_INFO_SQL).get()));
    const promised = database.prepare("SELECT name, rows, sha256 FROM backup_tables").all();
    const names = new Set(promised.map(({ name }) => String(name)));
    const extra = tableNames(database).find((name) => !names.has(name));
    if (extra !== undefined) throw new BackupError(`it has a table that was not in it: ${extra}`);
    for (const { name, rows, sha256 } of promised) {
      const found = digestOf(database, String(name));
      if (found.rows !== rows || found.sha256 !== sha256) {
        throw new BackupError(`the table ${String(name)} differs from what was backed up`);
      }
    }
    const tables = promised.map(({ name, rows }) => tableCount(name, rows));
    return { ...facts, tables, secretKey: encryptionIn(database).secretKey };
  });
}

/** Makes a database of a copied backup. Its first start sends nothing until it is resumed. */
export function openBackup(path: string): UnfinishedWork {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; ${RESTORE_SQL}`);
    const work = database.prepare(UNFINISHED_SQL).get()!;
    return {
      messages: Number(work["messages"]),
      runs: Number(work["runs"]),
      schedules: Number(work["schedules"]),
    };
  } finally {
    database.close();
  }
}

function reading<T>(path: string, read: (database: DatabaseSync) => T): T {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`it cannot be read: ${(error as Error).message}`);
  }
}

export function encryptionIn(database: DatabaseSync): Encryption {
  const service = database.prepare("SELECT record FROM service").get();
  const first = database.prepare("SELECT record FROM accounts ORDER BY account_id LIMIT 1").get();
  return {
    secretKey: toServiceRecord(service).secretKey ?? null,
    firstAccount: first === undefined ? null : toAccountRecord(first),
  };
}

function factsOf(database: DatabaseSync): BackupFacts {
  const isBackup = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").get();
  if (isBackup === undefined) throw new BackupError('it was not made by "postrider backup"');
  const row = database.prepare("SELECT made_at, version, sealed_key FROM backup").get()!;
  return {
    madeAt: Number(row["made_at"]),
    version: String(row["version"]),
    sealedKey: row["sealed_key"] as string | null,
  };
}

function tableNames(database: DatabaseSync): string[] {
  const rows = database.prepare(TABLES_SQL).all();
  return rows.map(({ name }) => String(name));
}

function tableCount(name: unknown, rows: unknown): TableCount {
  return { name: String(name), rows: Number(rows) };
}

interface Digest extends TableCount {
  readonly sha256: string;
}

/** In the order in which the rows are stored, which a copy keeps. */
function digestOf(database: DatabaseSync, name: string): Digest {
  const statement = database.prepare(`SELECT * FROM "${name}"`);
  statement.setReadBigInts(true);
  const hash = createHash("sha256");
  let rows = 0;
  for (const row of statement.iterate()) {
    rows += 1;
    for (const value of Object.values(row)) {
      if (value instanceof Uint8Array) hash.update(`b${value.byteLength}:`).update(value);
      else if (typeof value === "string") hash.update(`t${value.length}:${value}`);
      else hash.update(`${typeof value} ${String(value)};`);
    }
  }
  return { name, rows, sha256: hash.digest("hex") };
}

const TABLES_SQL = `SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND name NOT IN ('backup', 'backup_tables')
  ORDER BY name`;
const CREATE_SQL = `
  CREATE TABLE backup (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    made_at INTEGER NOT NULL,
    version TEXT NOT NULL,
    sealed_key TEXT
  ) STRICT;
  CREATE TABLE backup_tables (
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    sha256 TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;
const RESTORE_SQL = `BEGIN;
  DROP TABLE backup;
  DROP TABLE backup_tables;
  UPDATE service SET record = json_set(record, '$.isPaused', json('true'));
  COMMIT;`;
const UNFINISHED_SQL = `SELECT (SELECT count(*) FROM messages) AS messages,
  (SELECT count(*) FROM runs WHERE phase = 0) AS runs,
  (SELECT count(*) FROM schedules) AS schedules`;
