import { readdirSync, readFileSync } from "node:fs";

import { StoreOpenError } from "./store-open-error.ts";

/** The number of this program; a schema names the oldest program that may use it. */
export const PROGRAM = 10;

/** The first that finds the pieces of a body. Only a store that holds some needs it. */
export const PIECES_PROGRAM = 10;

/** The program that made the first migration. Schemas of earlier ones were never released. */
const FIRST_PROGRAM = 9;

/** Programs that no store will ever need: while a move writes a store, and after one has left it. */
export const ARRIVING_PROGRAM = 1_000_000_001;
export const MOVED_PROGRAM = 1_000_000_002;

export interface SchemaInfo {
  /** The number of the newest migration that was applied; 0 for none. */
  readonly version: number;
  readonly oldestProgram: number;
}

export const SCHEMA_INFO_SQL = "SELECT version, oldest_program FROM schema_info";

export function toSchemaInfo(row: Readonly<Record<string, unknown>> | undefined): SchemaInfo {
  return {
    version: Number(row?.["version"] ?? 0),
    oldestProgram: Number(row?.["oldest_program"] ?? FIRST_PROGRAM),
  };
}

/** The statement that records a migration, and its values. */
export function recordOf(before: SchemaInfo, { number }: Migration): [string, number[]] {
  return before.version === 0
    ? ["INSERT INTO schema_info (version, oldest_program) VALUES ($1, $2)", [number, FIRST_PROGRAM]]
    : ["UPDATE schema_info SET version = $1", [number]];
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** The migrations of a folder in order: `NNNN-verb-noun.sql`, without a gap. */
export function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name, index) => {
    const number = Number(name.slice(0, 4));
    if (number !== index + 1) throw new Error(`migration ${name} is out of order`);
    return { number, name, sql: readFileSync(new URL(name, folder), "utf8") };
  });
}

export const SET_PROGRAM_SQL = "UPDATE schema_info SET oldest_program = $1";

/** Earlier programs would send a report without its pieces. */
export const NEED_PIECES_SQL: string = `UPDATE schema_info SET oldest_program = ${PIECES_PROGRAM}
  WHERE oldest_program < ${PIECES_PROGRAM} AND EXISTS (SELECT 1 FROM body_pieces)`;

/**
 * Refuses a store that only newer programs may use, one from before the first release, and one that a
 * move has not filled yet or has emptied.
 */
export function requireProgram({ oldestProgram }: SchemaInfo): void {
  if (oldestProgram === ARRIVING_PROGRAM) {
    throw new StoreOpenError(
      "the store is the target of a move that has not ended; run postrider move again, as before",
    );
  }
  if (oldestProgram === MOVED_PROGRAM) {
    throw new StoreOpenError(
      "the data was moved from here to another store by postrider move; start on that one",
    );
  }
  if (oldestProgram > PROGRAM) {
    throw new Error(
      `the store was upgraded by a newer postrider (it needs program ${oldestProgram}, this is ${PROGRAM}); upgrade this one`,
    );
  }
  if (oldestProgram < FIRST_PROGRAM) {
    throw new StoreOpenError(
      "the database was made by a postrider from before its first release, which this one cannot read; nothing was changed there. Start with a new one: another --data folder, or another --database-schema on PostgreSQL",
    );
  }
}

/** A move copies only what this program would have written: its own migrations, all of them. */
export function requireCurrent({ version, oldestProgram }: SchemaInfo, migrations: URL): void {
  const newest = readMigrations(migrations).at(-1)!.number;
  // What was moved before is told by its mark.
  if (oldestProgram !== MOVED_PROGRAM) requireProgram({ version, oldestProgram });
  if (version === newest) return;
  throw new StoreOpenError(
    version > newest
      ? "the store was migrated by a newer postrider; use that one"
      : "the schema of the store is older than this postrider; run postrider migrate first",
  );
}
