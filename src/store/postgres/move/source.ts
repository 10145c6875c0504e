import { escapeIdentifier } from "pg";
import type {
  MoveMark,
  SecretKeyMark,
  ServiceRecord,
} from "../../../core/model/account/account.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { ChangedRow, MoveSource, Numbers, Snapshot } from "../../move/move-ends.ts";
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
import { type Row, toServiceRecord } from "../../records/rows.ts";
import { MOVED_PROGRAM, requireCurrent, SET_PROGRAM_SQL } from "../../schema.ts";
import { StoreOpenError } from "../../store-open-error.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { toOpenError } from "../driver/errors.ts";
import { codeOf, meaningOf } from "../driver/sql-states.ts";
import { MIGRATIONS, schemaInfo } from "../upkeep/migrate.ts";
import { connectForMove, PATIENT, readCatalog, readCounts, readPage } from "./rows.ts";
import { createChangesSql, triggersOf } from "./notes.ts";
import { LAST_NUMBERS_SQL } from "./sequences.ts";

interface SourceOptions {
  readonly url: string;
  readonly schema: string;
  readonly clock: Clock;
}

/** A schema that several nodes may be using. Triggers note which rows they change. */
export class PostgresSource implements MoveSource {
  readonly #options: SourceOptions;
  readonly #connections: Connections;
  #moveId = "";

  private constructor(options: SourceOptions, connections: Connections) {
    this.#options = options;
    this.#connections = connections;
  }

  /** Throws a sentence for the operator when the layout is not that of this program. */
  static async open(options: SourceOptions): Promise<PostgresSource> {
    const connections = connectForMove(options.url, options.schema);
    try {
      const isThere = await connections.read((session) => hasTable(session, "service"));
      if (!isThere) {
        throw new StoreOpenError(
          `the schema ${options.schema} holds no data of a service; name the right one with --database-schema`,
        );
      }
      requireCurrent(await connections.read(schemaInfo), MIGRATIONS);
      return new PostgresSource(options, connections);
    } catch (error) {
      await connections.close();
      throw toOpenError(error, options.url);
    }
  }

  async mark(): Promise<MoveMark | null> {
    return (await this.#connections.read(readService)).move ?? null;
  }

  async firstAccount(): Promise<Row | undefined> {
    const sql = "SELECT record FROM accounts ORDER BY account_id LIMIT 1";
    return (await this.#connections.read((session) => session.query(sql)))[0];
  }

  async secretKey(): Promise<SecretKeyMark | null> {
    return (await this.#connections.read(readService)).secretKey ?? null;
  }

  catalog(): Promise<readonly CatalogColumn[]> {
    return this.#connections.read(readCatalog);
  }

  /** The mark comes first: so a cancel that comes between finds what it ends. */
  async begin(mark: MoveMark, tables: readonly MovedTable[]): Promise<void> {
    this.#moveId = mark.id;
    await this.#write(async (session) => {
      const service = await lockService(session);
      requireNoOther(service, mark.id);
      await setRecord(session, marked(service, mark));
    });
    const schema = escapeIdentifier(this.#options.schema);
    await this.#write((session) => session.script(createChangesSql(schema)));
    // One by one: the lock of one table waits for its writers, and they never for it.
    for (const table of tables) {
      await this.#write((session) => session.script(triggersOf(table, schema)));
    }
  }

  async standStill(pass: string | null): Promise<void> {
    await this.#write(async (session) => {
      const service = await lockService(session);
      const { move } = service;
      if (move?.id !== this.#moveId || move.isMoved) return;
      await setRecord(session, marked(service, { ...move, standStill: pass }));
    });
  }

  async isQuiet(): Promise<boolean> {
    const [row] = await this.#connections.read(async (session) => {
      return session.query(BUSY_SQL, [(await session.now()) - NODE_SILENT_MS_MAX]);
    });
    return row?.["busy"] === 0;
  }

  /**
   * Changes are numbered before they are committed. The lock waits for those under way, and lets no
   * other begin before the snapshot is taken. A snapshot that was taken without it, or that was lost,
   * would miss some of them: nothing here is repeated.
   */
  async snapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const unlocked = Promise.withResolvers<void>();
    unlocked.promise.catch(() => undefined);
    let result: Promise<T> | undefined;
    const locked = this.#write(async (session) => {
      if (result !== undefined) throw snapshotLost();
      requireMark(await readService(session), this.#moveId);
      await session.query("LOCK TABLE move_changes IN SHARE MODE");
      const taken = Promise.withResolvers<void>();
      result = this.#readAt(taken.resolve, unlocked.promise, read);
      result.catch(taken.reject);
      await taken.promise;
    });
    locked.then(unlocked.resolve, unlocked.reject);
    await locked;
    return result!;
  }

  #readAt<T>(
    onTaken: () => void,
    unlocked: Promise<void>,
    read: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    let isTaken = false;
    return this.#connections.read(async (session) => {
      if (isTaken) throw snapshotLost();
      isTaken = true;
      const snapshot = await snapshotOf(session);
      onTaken();
      await unlocked;
      return read(snapshot);
    }, PATIENT);
  }

  /** The lock waits for the writers under way. Those that come later find that the data is gone. */
  close<T>(finish: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#write(async (session) => {
      await session.query("LOCK TABLE move_changes IN EXCLUSIVE MODE");
      requireMark(await readService(session), this.#moveId);
      const result = await finish(await snapshotOf(session));
      const service = await lockService(session);
      const mark = requireMark(service, this.#moveId);
      await setRecord(session, marked(service, { ...mark, standStill: null, isMoved: true }));
      await session.query(SET_PROGRAM_SQL, [MOVED_PROGRAM]);
      return result;
    });
  }

  async rename(): Promise<string | null> {
    const { schema, clock } = this.#options;
    const startedAt = clock.monotonic();
    while (await this.#isUsed()) {
      if (clock.monotonic() - startedAt > END_MS_MAX) return null;
      await clock.sleep(LOOK_MS);
    }
    const time = new Date(clock.wall()).toISOString().replaceAll(/\D/g, "").slice(0, 14);
    const name = `${schema.slice(0, KEPT_CHARACTERS)}_moved_${time}`;
    const [before, after] = [escapeIdentifier(schema), escapeIdentifier(name)];
    try {
      // What is left in its place keeps a node from starting with an empty store.
      await this.#write((session) =>
        session.script(`ALTER SCHEMA ${before} RENAME TO ${after};
          CREATE SCHEMA ${before};
          CREATE TABLE ${before}.schema_info AS SELECT * FROM ${after}.schema_info`),
      );
      return name;
    } catch (error) {
      if (codeOf(error) === NOT_ALLOWED) return null;
      throw error;
    }
  }

  /** First the mark: without it a move neither begins nor ends while the triggers go. */
  async cancel(): Promise<void> {
    const mark = await this.#write(async (session) => {
      const service = await lockService(session);
      requireNotMoved(service);
      const { move } = service;
      if (move !== undefined) await setRecord(session, marked(service, { ...move, id: NO_MOVE }));
      return move;
    });
    if (mark === undefined) return;
    for (const table of new Set((await this.catalog()).map((column) => column.table))) {
      await this.#dropTriggers(table);
    }
    await this.#write(async (session) => {
      await session.query("DROP TABLE IF EXISTS move_changes");
      await setRecord(session, marked(await lockService(session)));
    });
  }

  /** The move may be reading the table, for a while. Nodes wait as long as this waits for the table. */
  async #dropTriggers(table: string): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    const options = { ...PATIENT, lockTimeoutMs: DROP_LOCK_MS };
    for (;;) {
      try {
        return await this.#connections.transaction(
          (session) => session.script(`DROP FUNCTION IF EXISTS move_note_${table}() CASCADE`),
          options,
        );
      } catch (error) {
        if (meaningOf(error) !== "crowded") throw error;
        if (clock.monotonic() - startedAt > END_MS_MAX) throw error;
      }
      await clock.sleep(LOOK_MS);
    }
  }

  release(): Promise<void> {
    return this.#connections.close();
  }

  #write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#connections.transaction(work, PATIENT);
  }

  /** A node that stops removes its row; one that was killed has been silent for long. */
  async #isUsed(): Promise<boolean> {
    const [row] = await this.#connections.read(async (session) => {
      const since = (await session.now()) - NODE_SILENT_MS_MAX;
      return session.query("SELECT count(*) AS live FROM nodes WHERE renewed_at > $1", [since]);
    });
    return row?.["live"] !== 0;
  }
}

async function snapshotOf(session: Session): Promise<Snapshot> {
  const [row] = await session.query(CHANGES_SQL);
  const changes = row!["changes"] as number;
  return {
    changes,
    page: (table, range) => readPage(session, table, range),
    changedAfter: async (after): Promise<ChangedRow[]> =>
      (await session.query(CHANGED_SQL, [after, changes])).map(toChangedRow),
    counts: (tables) => readCounts(session, tables),
    numbers: async () => {
      const [numbers] = await session.query(LAST_NUMBERS_SQL);
      const [latest] = await session.query(LATEST_SQL);
      return { ...(numbers as Omit<Numbers, "latestAt">), latestAt: toLatestAt(latest) };
    },
  };
}

async function hasTable(session: Session, name: string): Promise<boolean> {
  const [row] = await session.query("SELECT to_regclass($1) IS NOT NULL AS found", [name]);
  return row?.["found"] === true;
}

async function readService(session: Session): Promise<ServiceRecord> {
  return toServiceRecord((await session.query("SELECT record FROM service"))[0]);
}

async function lockService(session: Session): Promise<ServiceRecord> {
  return toServiceRecord((await session.query("SELECT record FROM service FOR UPDATE"))[0]);
}

async function setRecord(session: Session, record: string): Promise<void> {
  await session.query(SET_RECORD_SQL, [record]);
}

/** Nodes end within this time, unless their attempts take longer. */
const END_MS_MAX = 60_000;
const LOOK_MS = 100;
const DROP_LOCK_MS = 100;
/** A name has at most 63 characters; the server would cut off its end. */
const KEPT_CHARACTERS = 42;
const NOT_ALLOWED = "42501";
/** What a move that is being canceled is called; no move has this id. */
const NO_MOVE = "canceled";

function snapshotLost(): Error {
  return new StoreOpenError("the connection to PostgreSQL was lost; run this again");
}
