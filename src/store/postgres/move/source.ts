import { escapeIdentifier } from "pg";
import type { MoveMark, ServiceRecord } from "../../../core/model/account/account.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { ChangedRow, MoveSource, Numbers, Snapshot } from "../../move/move-ends.ts";
import type { CatalogColumn, MovedTable } from "../../move/moved-table.ts";
import {
  BUSY_SQL,
  CHANGED_SQL,
  CHANGES_SQL,
  LATEST_SQL,
  marked,
  SET_RECORD_SQL,
  toChangedRow,
  toLatestAt,
} from "../../move/source-sql.ts";
import { NODE_SILENT_MS_MAX } from "../../node-facts.ts";
import { type Row, toServiceRecord } from "../../records/rows.ts";
import { namesOf } from "../../records/table.ts";
import { MOVED_PROGRAM, requireCurrent, SET_PROGRAM_SQL } from "../../schema.ts";
import { StoreOpenError } from "../../store-open-error.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { toOpenError } from "../driver/errors.ts";
import { codeOf } from "../driver/sql-states.ts";
import { MIGRATIONS, schemaInfo } from "../upkeep/migrate.ts";
import { connectForMove, PATIENT, readCatalog, readCounts, readPage } from "./rows.ts";
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

  catalog(): Promise<readonly CatalogColumn[]> {
    return this.#connections.read(readCatalog);
  }

  async begin(mark: MoveMark, tables: readonly MovedTable[]): Promise<void> {
    const schema = escapeIdentifier(this.#options.schema);
    await this.#write((session) => session.script(createChangesSql(schema)));
    // One by one: the lock of one table waits for its writers, and they never for it.
    for (const table of tables) {
      await this.#write((session) => session.script(triggersOf(table, schema)));
    }
    await this.#write(async (session) => {
      await setRecord(session, marked(await lockService(session), mark));
    });
  }

  async standStill(pass: string | null): Promise<void> {
    await this.#write(async (session) => {
      const service = await lockService(session);
      const { move } = service;
      if (move?.isMoved !== false) return;
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
   * other begin before the snapshot is taken.
   */
  async snapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const reading = await this.#write(async (session) => {
      await session.query("LOCK TABLE move_changes IN SHARE MODE");
      const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
      const result = this.#connections.read(async (own) => {
        const snapshot = await snapshotOf(own);
        resolve();
        return read(snapshot);
      }, PATIENT);
      result.catch(reject);
      await taken;
      return { result };
    });
    return reading.result;
  }

  /** The lock waits for the writers under way. Those that come later find that the data is gone. */
  close<T>(finish: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#write(async (session) => {
      await session.query("LOCK TABLE move_changes IN EXCLUSIVE MODE");
      const result = await finish(await snapshotOf(session));
      const service = await lockService(session);
      const mark = { ...service.move!, standStill: null, isMoved: true };
      await setRecord(session, marked(service, mark));
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
    const name = `${schema}_moved_${time}`;
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

  async cancel(): Promise<void> {
    const tables = new Set((await this.catalog()).map(({ table }) => table));
    for (const table of tables) {
      await this.#write((session) =>
        session.script(`DROP FUNCTION IF EXISTS move_note_${table}() CASCADE`),
      );
    }
    await this.#write(async (session) => {
      await session.query("DROP TABLE IF EXISTS move_changes");
      await setRecord(session, marked(await lockService(session)));
    });
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

function createChangesSql(schema: string): string {
  return `CREATE TABLE IF NOT EXISTS ${schema}.move_changes (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, table_name text NOT NULL, key text NOT NULL)`;
}

/**
 * The function writes first and then looks whether the data was moved: the write waits for the lock
 * of a move that closes the store. No statement changes a key; if one did, the counts would differ in
 * the end. The error is one that nodes meet when another transaction holds a row.
 */
function triggersOf({ name, key }: MovedTable, schema: string): string {
  const note = `${schema}.move_note_${name}`;
  const events = ["INSERT", "UPDATE", "DELETE"].map((event) => {
    const rows = event === "DELETE" ? "OLD" : "NEW";
    return `CREATE OR REPLACE TRIGGER move_${event.toLowerCase()} AFTER ${event} ON ${schema}.${name}
      REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${note}();`;
  });
  return `CREATE OR REPLACE FUNCTION ${note}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO ${schema}.move_changes (table_name, key)
        SELECT '${name}', jsonb_build_array(${namesOf(key).join(", ")})::text FROM changed;
      IF (SELECT oldest_program FROM ${schema}.schema_info) = ${MOVED_PROGRAM} THEN
        RAISE EXCEPTION 'the data was moved to another store' USING ERRCODE = 'lock_not_available';
      END IF;
      RETURN NULL;
    END $$;
    ${events.join("\n")}`;
}

/** Nodes end within this time, unless their attempts take longer. */
const END_MS_MAX = 60_000;
const LOOK_MS = 100;
const NOT_ALLOWED = "42501";
