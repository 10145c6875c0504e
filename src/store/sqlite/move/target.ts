import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Ids } from "../../../platform/ids.ts";
import { createFile, makeFolder, syncFile, syncFolder } from "../../../platform/durable-files.ts";
import { WriteCheck } from "../../move/compare.ts";
import type { Held, MoveProgress, MoveTarget, Numbers, Written } from "../../move/move-ends.ts";
import {
  type CatalogColumn,
  keyRow,
  type MovedRow,
  type MovedTable,
} from "../../move/moved-table.ts";
import { arrived, SET_RECORD_SQL } from "../../move/source-sql.ts";
import {
  CREATE_PROGRESS_SQL,
  KEEP_PROGRESS_SQL,
  OPEN_SQL,
  START_PROGRESS_SQL,
  TAKE_SQL,
  takenOver,
} from "../../move/target-sql.ts";
import { toServiceRecord } from "../../records/rows.ts";
import { ARRIVING_PROGRAM, SET_PROGRAM_SQL } from "../../schema.ts";
import { addTo, removeFrom, type WriteRows } from "../group/table-statements.ts";
import { hasDatabase } from "../sqlite-store.ts";
import {
  type Database,
  openReader,
  openWriter,
  prepareShared,
  transaction,
  withoutWaiting,
} from "../thread/connection.ts";
import { DataLock } from "../thread/lock.ts";
import { migrate } from "../upkeep/migrate.ts";
import { MovedRows } from "./rows.ts";

/** A database file that gets its name when all is in it. */
export class SqliteTarget implements MoveTarget {
  readonly #path: string;
  readonly #draft: string;
  readonly #mover: string;
  readonly #writes = new Map<string, TableWriter>();
  #lock: DataLock | null = null;
  #opened: { readonly database: Database; readonly rows: MovedRows } | null = null;

  constructor(path: string, ids: Ids) {
    this.#path = path;
    this.#draft = `${path}.arriving`;
    this.#mover = ids.secret(MOVER_CHARACTERS);
  }

  async held(): Promise<Held> {
    if (hasDatabase(this.#path)) return heldBy(this.#path);
    const held = hasDatabase(this.#draft) ? heldBy(this.#draft) : NOTHING;
    // One without progress was left by a run that was killed before it wrote anything.
    return held.kind === "progress" ? held : NOTHING;
  }

  async prepare(progress: MoveProgress): Promise<void> {
    makeFolder(dirname(this.#path));
    this.#lock ??= new DataLock(`${this.#path}.lock`);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${this.#draft}${end}`, { force: true });
    createFile(this.#draft);
    const { database } = this.#open();
    migrate(database);
    transaction(database, () => {
      database.exec(`${CREATE_PROGRESS_SQL}; DELETE FROM service`);
      database.prepare(START_PROGRESS_SQL).run();
      this.#keep(progress, "");
      prepareShared(database, SET_PROGRAM_SQL).run(ARRIVING_PROGRAM);
    });
  }

  async take(): Promise<void> {
    this.#lock ??= new DataLock(`${this.#path}.lock`);
    prepareShared(this.#open().database, TAKE_SQL).run(this.#mover);
  }

  async catalog(): Promise<readonly CatalogColumn[]> {
    return this.#open().rows.catalog();
  }

  async write(written: Written | null, progress: MoveProgress): Promise<void> {
    const { database } = this.#open();
    // The last write is durable, and with it those before.
    withoutWaiting(database, () =>
      transaction(database, () => {
        this.#keep(progress);
        if (written !== null) this.#writeRows(written);
      }),
    );
  }

  async counts(tables: readonly MovedTable[]): Promise<readonly number[]> {
    return this.#open().rows.counts(tables);
  }

  async complete({ latestAt, ...numbers }: Numbers, progress: MoveProgress): Promise<void> {
    const { database } = this.#open();
    transaction(database, () => {
      const set = database.prepare("UPDATE sequences SET value = ? WHERE name = ?");
      // The counts of days have come with the rest.
      const all = { ...numbers, "log-counted": numbers.log };
      for (const [name, value] of Object.entries(all)) set.run(value, name);
      const service = toServiceRecord(database.prepare("SELECT record FROM service").get());
      prepareShared(database, SET_RECORD_SQL).run(arrived(service, progress.id));
      database.prepare("UPDATE service SET left_at = ?").run(latestAt);
      this.#keep(progress);
    });
  }

  async open(): Promise<void> {
    this.#lock ??= new DataLock(`${this.#path}.lock`);
    if (!hasDatabase(this.#path)) {
      const { database } = this.#open();
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      this.#close();
      syncFile(this.#draft);
      renameSync(this.#draft, this.#path);
      syncFolder(dirname(this.#path));
    }
    const database = openWriter(this.#path);
    transaction(database, () => database.exec(OPEN_SQL));
    database.close();
  }

  async release(): Promise<void> {
    this.#close();
    this.#lock?.release();
  }

  #open(): { readonly database: Database; readonly rows: MovedRows } {
    if (this.#opened === null) {
      const database = openWriter(this.#draft);
      this.#opened = { database, rows: new MovedRows(database) };
    }
    return this.#opened;
  }

  #close(): void {
    this.#opened?.database.close();
    this.#opened = null;
  }

  #writeRows({ table, removed, added }: Written): void {
    const { database, rows } = this.#open();
    let writer = this.#writes.get(table.name);
    if (writer === undefined) {
      writer = { remove: removeFrom(database, table), add: addTo(database, table) };
      this.#writes.set(table.name, writer);
    }
    writer.remove(removed.map((key) => keyRow(table, key)));
    writer.add(added);
    const check = new WriteCheck({ table, removed, added });
    while (check.range !== null) check.add(rows.page(table, check.range));
  }

  #keep(progress: MoveProgress, mover = this.#mover): void {
    const keep = prepareShared(this.#open().database, KEEP_PROGRESS_SQL);
    if (keep.run(JSON.stringify(progress), mover).changes === 0) throw takenOver();
  }
}

interface TableWriter {
  readonly remove: WriteRows<MovedRow>;
  readonly add: WriteRows<MovedRow>;
}

function heldBy(path: string): Held {
  const database = openReader(path);
  try {
    const isMoving = database.prepare(HAS_PROGRESS_SQL).get() !== undefined;
    if (isMoving) {
      const row = database.prepare("SELECT record FROM move_progress").get();
      return { kind: "progress", progress: JSON.parse(row!["record"] as string) as MoveProgress };
    }
    const isService = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'service'").get();
    if (isService === undefined) return { kind: "service", arrivedBy: undefined };
    const service = toServiceRecord(database.prepare("SELECT record FROM service").get());
    return { kind: "service", arrivedBy: service.arrivedBy };
  } finally {
    database.close();
  }
}

const HAS_PROGRESS_SQL = "SELECT 1 FROM sqlite_schema WHERE name = 'move_progress'";
const MOVER_CHARACTERS = 20;
const NOTHING: Held = { kind: "nothing" };
