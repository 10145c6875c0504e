import { renameSync } from "node:fs";
import { dirname } from "node:path";
import type {
  MoveMark,
  SecretKeyMark,
  ServiceRecord,
} from "../../../core/model/account/account.ts";
import type { Clock } from "../../../platform/clock.ts";
import { syncFolder } from "../../../platform/durable-files.ts";
import type { MoveSource, Numbers, Snapshot } from "../../move/move-ends.ts";
import type { CatalogColumn, MovedTable } from "../../move/moved-table.ts";
import {
  BUSY_SQL,
  CHANGED_SQL,
  CHANGES_SQL,
  LATEST_SQL,
  marked,
  requireMark,
  requireNoOther,
  requireNotMoved,
  SET_RECORD_SQL,
  toChangedRow,
  toLatestAt,
} from "../../move/source-sql.ts";
import { NODE_SILENT_MS_MAX } from "../../node-facts.ts";
import { namesOf } from "../../records/table.ts";
import type { Row } from "../../records/rows.ts";
import { toServiceRecord } from "../../records/rows.ts";
import { MOVED_PROGRAM, requireCurrent, SET_PROGRAM_SQL } from "../../schema.ts";
import { StoreOpenError } from "../../store-open-error.ts";
import { DailyCounts, IS_NEW } from "../tables/daily-counts.ts";
import {
  type Database,
  openReader,
  openWriter,
  prepareShared,
  transaction,
} from "../thread/connection.ts";
import { DataLock } from "../thread/lock.ts";
import { MIGRATIONS, schemaInfo } from "../upkeep/migrate.ts";
import { movedName } from "./moved-file.ts";
import { MovedRows } from "./rows.ts";

/** A database file that a service may be using. Triggers note which rows it changes. */
export class SqliteSource implements MoveSource {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #database: Database;
  readonly #reader: Database;
  readonly #read: MovedRows;
  #moveId = "";
  /** Held when no service runs, so that none starts. */
  #lock: DataLock | null = null;

  /** Throws a sentence for the operator when the layout is not that of this program. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#database = openWriter(path);
    try {
      requireCurrent(schemaInfo(this.#database), MIGRATIONS);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    this.#reader = openReader(path);
    this.#read = new MovedRows(this.#reader);
  }

  async mark(): Promise<MoveMark | null> {
    return this.#service().move ?? null;
  }

  async firstAccount(): Promise<Row | undefined> {
    return this.#database.prepare("SELECT record FROM accounts ORDER BY account_id LIMIT 1").get();
  }

  async secretKey(): Promise<SecretKeyMark | null> {
    return this.#service().secretKey ?? null;
  }

  async catalog(): Promise<readonly CatalogColumn[]> {
    return this.#read.catalog();
  }

  async begin(mark: MoveMark, tables: readonly MovedTable[]): Promise<void> {
    this.#moveId = mark.id;
    transaction(this.#database, () => {
      const service = this.#service();
      requireNoOther(service, mark.id);
      this.#database.exec(`CREATE TABLE IF NOT EXISTS move_changes
        (number INTEGER PRIMARY KEY, table_name TEXT NOT NULL, key TEXT NOT NULL) STRICT`);
      for (const table of tables) this.#database.exec(triggersOf(table));
      this.#setRecord(marked(service, mark));
    });
  }

  async standStill(pass: string | null): Promise<void> {
    if (pass !== null) this.#lock ??= this.#takeLock();
    transaction(this.#database, () => {
      const service = this.#service();
      const { move } = service;
      if (move?.id !== this.#moveId || move.isMoved) return;
      this.#setRecord(marked(service, { ...move, standStill: pass }));
    });
  }

  async isQuiet(): Promise<boolean> {
    if (this.#lock !== null) return true;
    const since = this.#clock.wall() - NODE_SILENT_MS_MAX;
    return prepareShared(this.#database, BUSY_SQL).get(since)!["busy"] === 0;
  }

  async snapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.#shortenLog();
    this.#reader.exec("BEGIN");
    try {
      requireMark(this.#service(), this.#moveId);
      return await read(snapshotOf(this.#reader, this.#read));
    } finally {
      this.#reader.exec("END");
    }
  }

  /**
   * A snapshot keeps the log of the file from beginning anew, and one follows another. Between them
   * what is in the log goes into the file; writers wait only for the rest of a log that is long.
   */
  #shortenLog(): void {
    const database = this.#database;
    const pages = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["log"] as number;
    if (pages <= LOG_PAGES_MAX) return;
    database.exec(`PRAGMA busy_timeout = ${LOG_WAIT_MS}; PRAGMA wal_checkpoint(RESTART);
      PRAGMA busy_timeout = ${PATIENCE_MS}`);
  }

  async close<T>(finish: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const database = this.#database;
    this.#beginCounted();
    try {
      const service = this.#service();
      const mark = requireMark(service, this.#moveId);
      const result = await finish(snapshotOf(database, new MovedRows(database)));
      this.#setRecord(marked(service, { ...mark, standStill: null, isMoved: true }));
      prepareShared(database, SET_PROGRAM_SQL).run(MOVED_PROGRAM);
      database.exec("END");
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * Begins a transaction with all of the log counted: PostgreSQL counts with each write what SQLite
   * counts about once a second. The transaction itself changes nothing before the target has all
   * changes, since a rollback would give their numbers to others.
   */
  #beginCounted(): void {
    const database = this.#database;
    const days = new DailyCounts(database);
    const uncounted = database.prepare(`SELECT 1 FROM log_entries WHERE ${IS_NEW} LIMIT 1`);
    for (;;) {
      transaction(database, () => days.countLog());
      database.exec("BEGIN IMMEDIATE");
      if (uncounted.get() === undefined) return;
      database.exec("ROLLBACK");
    }
  }

  async rename(): Promise<string | null> {
    const startedAt = this.#clock.monotonic();
    while ((this.#lock ??= this.#takeLock()) === null) {
      if (this.#clock.monotonic() - startedAt > END_MS_MAX) return null;
      await this.#clock.sleep(LOOK_MS);
    }
    this.#reader.close();
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#database.close();
    const name = movedName(this.#path, this.#clock.wall());
    renameSync(this.#path, name);
    syncFolder(dirname(this.#path));
    return name;
  }

  async cancel(): Promise<void> {
    const database = this.#database;
    transaction(database, () => {
      const service = this.#service();
      requireNotMoved(service);
      const triggers = database.prepare(TRIGGERS_SQL).all();
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${String(name)}`);
      database.exec("DROP TABLE IF EXISTS move_changes");
      this.#setRecord(marked(service));
    });
  }

  async release(): Promise<void> {
    for (const database of [this.#reader, this.#database]) if (database.isOpen) database.close();
    this.#lock?.release();
  }

  #service(): ServiceRecord {
    return toServiceRecord(this.#database.prepare("SELECT record FROM service").get());
  }

  #setRecord(record: string): void {
    prepareShared(this.#database, SET_RECORD_SQL).run(record);
  }

  /** Null while a service runs. */
  #takeLock(): DataLock | null {
    try {
      return new DataLock(`${this.#path}.lock`);
    } catch (error) {
      if (error instanceof StoreOpenError) return null;
      throw error;
    }
  }
}

function snapshotOf(database: Database, rows: MovedRows): Snapshot {
  const changes = database.prepare(CHANGES_SQL).get()!["changes"] as number;
  const changed = prepareShared(database, CHANGED_SQL);
  return {
    changes,
    page: async (table, range) => rows.page(table, range),
    changedAfter: async (after) => changed.all(after, changes).map(toChangedRow),
    counts: async (tables) => rows.counts(tables),
    numbers: async () => {
      const found = database.prepare("SELECT name, value FROM sequences").all();
      const numbers = Object.fromEntries(found.map((row) => [row["name"], row["value"]]));
      const latestAt = toLatestAt(database.prepare(LATEST_SQL).get());
      return { ...(numbers as Omit<Numbers, "latestAt">), latestAt };
    },
  };
}

/** No statement changes a key; if one did, the counts would differ in the end. */
function triggersOf({ name, key }: MovedTable): string {
  return ["INSERT", "UPDATE", "DELETE"]
    .map((event) => {
      const row = event === "DELETE" ? "OLD" : "NEW";
      const columns = namesOf(key).map((column) => `${row}.${column}`);
      return `CREATE TRIGGER IF NOT EXISTS move_${event.toLowerCase()}_${name} AFTER ${event} ON ${name} BEGIN
        SELECT RAISE(ABORT, 'the data was moved to another store')
        FROM schema_info WHERE oldest_program = ${MOVED_PROGRAM};
        INSERT INTO move_changes (table_name, key) VALUES ('${name}', json_array(${columns.join(", ")}));
      END;`;
    })
    .join("\n");
}

const TRIGGERS_SQL =
  "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'move\\_%' ESCAPE '\\'";
/** A service that writes much leaves others little time between its own writes. */
const PATIENCE_MS = 60_000;
/** About 64 MB. */
const LOG_PAGES_MAX = 16_000;
const LOG_WAIT_MS = 500;
/** The old process ends within this time, unless its attempts take longer. */
const END_MS_MAX = 60_000;
const LOOK_MS = 100;
