import type { Ids } from "../../../platform/ids.ts";
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
import { ARRIVING_PROGRAM, MOVED_PROGRAM, SET_PROGRAM_SQL } from "../../schema.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { toOpenError } from "../driver/errors.ts";
import { isMissingTable } from "../driver/sql-states.ts";
import { requireServer } from "../driver/require-server.ts";
import { addTo, removeFrom, type WriteRows } from "../group/table-statements.ts";
import { migrate, schemaInfo } from "../upkeep/migrate.ts";
import { connectForMove, PATIENT, readCatalog, readCounts, readPage } from "./rows.ts";
import { setNumbersSql } from "./sequences.ts";

interface TargetOptions {
  readonly url: string;
  readonly schema: string;
  readonly ids: Ids;
}

/** A schema on which no service starts before all is in it. */
export class PostgresTarget implements MoveTarget {
  readonly #schema: string;
  readonly #mover: string;
  readonly #connections: Connections;
  readonly #writes = new Map<string, TableWriter>();

  private constructor({ schema, ids }: TargetOptions, connections: Connections) {
    this.#schema = schema;
    this.#mover = ids.secret(MOVER_CHARACTERS);
    this.#connections = connections;
  }

  static async open(options: TargetOptions): Promise<PostgresTarget> {
    const connections = connectForMove(options.url, options.schema);
    try {
      await requireServer(connections, undefined);
      return new PostgresTarget(options, connections);
    } catch (error) {
      await connections.close();
      throw toOpenError(error, options.url);
    }
  }

  held(): Promise<Held> {
    return this.#connections.read(readHeld);
  }

  async prepare(progress: MoveProgress): Promise<void> {
    await this.#write(async (session) => {
      // All that is left of a store that was moved from here.
      if (await isLeftBehind(session)) await session.query("DROP TABLE schema_info");
    });
    await migrate(this.#connections, this.#schema);
    await this.#write(async (session) => {
      await session.script(`${CREATE_PROGRESS_SQL}; DELETE FROM service`);
      await session.query(START_PROGRESS_SQL);
      await keep(session, progress, "");
      await session.query(SET_PROGRAM_SQL, [ARRIVING_PROGRAM]);
    });
  }

  async take(): Promise<void> {
    await this.#write((session) => session.query(TAKE_SQL, [this.#mover]));
  }

  catalog(): Promise<readonly CatalogColumn[]> {
    return this.#connections.read(readCatalog);
  }

  async write(written: Written | null, progress: MoveProgress): Promise<void> {
    await this.#write(async (session) => {
      await Promise.all([session.query(NOT_WAITING_SQL), keep(session, progress, this.#mover)]);
      if (written !== null) await this.#writeRows(session, written);
    });
  }

  counts(tables: readonly MovedTable[]): Promise<readonly number[]> {
    return this.#connections.read((session) => readCounts(session, tables), PATIENT);
  }

  async complete({ latestAt, ...numbers }: Numbers, progress: MoveProgress): Promise<void> {
    await this.#write(async (session) => {
      await session.query(setNumbersSql(numbers));
      const [row] = await session.query("SELECT record FROM service");
      await session.query(SET_RECORD_SQL, [arrived(toServiceRecord(row), progress.id)]);
      await session.query("UPDATE service SET left_at = $1", [latestAt]);
      await keep(session, progress, this.#mover);
    });
  }

  async open(): Promise<void> {
    await this.#write((session) => session.script(OPEN_SQL));
  }

  release(): Promise<void> {
    return this.#connections.close();
  }

  #write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#connections.transaction(work, PATIENT);
  }

  async #writeRows(session: Session, { table, removed, added }: Written): Promise<void> {
    let writer = this.#writes.get(table.name);
    if (writer === undefined) {
      writer = { remove: removeFrom(table), add: addTo(table) };
      this.#writes.set(table.name, writer);
    }
    const gone = writer.remove(
      session,
      removed.map((key) => keyRow(table, key)),
    );
    await Promise.all([gone, writer.add(session, added)]);
    const check = new WriteCheck({ table, removed, added });
    while (check.range !== null) check.add(await readPage(session, table, check.range));
  }
}

interface TableWriter {
  readonly remove: WriteRows<MovedRow>;
  readonly add: WriteRows<MovedRow>;
}

async function keep(session: Session, progress: MoveProgress, mover: string): Promise<void> {
  try {
    const kept = await session.change(KEEP_PROGRESS_SQL, [JSON.stringify(progress), mover]);
    if (kept === 0) throw takenOver();
  } catch (error) {
    // The other process has come to the end.
    throw isMissingTable(error) ? takenOver() : error;
  }
}

async function readHeld(session: Session): Promise<Held> {
  const [found] = await session.query(
    `SELECT to_regclass('schema_info') IS NOT NULL AS has_schema,
      to_regclass('accounts') IS NOT NULL AS has_accounts,
      to_regclass('move_progress') IS NOT NULL AS has_progress`,
  );
  if (found?.["has_progress"] === true) {
    const [row] = await session.query("SELECT record FROM move_progress");
    return { kind: "progress", progress: JSON.parse(row!["record"] as string) as MoveProgress };
  }
  if (found?.["has_schema"] !== true) return { kind: "nothing" };
  if (found["has_accounts"] !== true) {
    return (await isLeftBehind(session)) ? { kind: "nothing" } : OTHER;
  }
  const accounts = await session.query("SELECT 1 FROM accounts LIMIT 1");
  if (accounts.length === 0) return { kind: "nothing" };
  const [row] = await session.query("SELECT record FROM service");
  return { kind: "service", arrivedBy: toServiceRecord(row).arrivedBy };
}

async function isLeftBehind(session: Session): Promise<boolean> {
  const [found] = await session.query(
    `SELECT to_regclass('schema_info') IS NOT NULL AND to_regclass('accounts') IS NULL AS is_alone`,
  );
  if (found?.["is_alone"] !== true) return false;
  return (await schemaInfo(session)).oldestProgram === MOVED_PROGRAM;
}

const MOVER_CHARACTERS = 20;
/** The last write is durable, and with it those before. */
const NOT_WAITING_SQL = "SET LOCAL synchronous_commit = off";
const OTHER: Held = { kind: "service", arrivedBy: undefined };
