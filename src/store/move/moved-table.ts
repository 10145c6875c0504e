import type { AnyColumnType, Column, ColumnValue, Table } from "../records/table.ts";
import { namesOf } from "../records/table.ts";
import { StoreOpenError } from "../store-open-error.ts";

/** A column as the catalog of a database describes it. */
export interface CatalogColumn {
  readonly table: string;
  readonly name: string;
  /** PostgreSQL's type; null in SQLite, which knows less. */
  readonly type: string | null;
  readonly isNullable: boolean;
  /** Its position in the key of the table; null when it is not in the key. */
  readonly keyPosition: number | null;
}

export type MovedRow = Readonly<Record<string, ColumnValue>>;

/** The values of the columns of a key, in their order. */
export type MovedKey = readonly (string | number)[];

/**
 * A table with the same name and columns in both databases. Its key has the columns of both keys, those
 * of the source first, so that pages follow an index there and a row is found by an index here.
 */
export type MovedTable = Table<MovedRow>;

/**
 * What belongs to one database alone: its schema, its live nodes, how it draws numbers, and what a
 * move keeps in it.
 */
const OWN_TABLES = new Set(["schema_info", "nodes", "sequences", "move_changes", "move_progress"]);

/** The tables to move, from the catalogs alone: a migration need not be told twice. */
export function movedTables(
  source: readonly CatalogColumn[],
  target: readonly CatalogColumn[],
): MovedTable[] {
  const [from, to] = [byTable(source), byTable(target)];
  const names = new Set([...from.keys(), ...to.keys()].filter((name) => !OWN_TABLES.has(name)));
  return [...names].toSorted().map((name) => joined(name, from.get(name), to.get(name)));
}

function byTable(catalog: readonly CatalogColumn[]): Map<string, CatalogColumn[]> {
  return Map.groupBy(catalog, ({ table }) => table);
}

function joined(
  name: string,
  from: readonly CatalogColumn[] = [],
  to: readonly CatalogColumn[] = [],
): MovedTable {
  const textOf = (columns: readonly CatalogColumn[]): string =>
    columns
      .map((column) => column.name)
      .toSorted()
      .join(", ");
  if (textOf(from) !== textOf(to)) {
    throw new StoreOpenError(
      `the table ${name} differs between the two stores: (${textOf(from)}) and (${textOf(to)})`,
    );
  }
  const keyNames = [...new Set([...keyOf(from), ...keyOf(to)])];
  const types = from.some(({ type }) => type !== null) ? from : to;
  const columns = types.map((column) => toColumn(column, keyNames.includes(column.name)));
  const find = (wanted: string) => columns.find(([column]) => column === wanted)!;
  return {
    name,
    key: keyNames.map(find),
    columns: columns.filter(([column]) => !keyNames.includes(column)),
  };
}

function keyOf(columns: readonly CatalogColumn[]): string[] {
  return columns
    .filter(({ keyPosition }) => keyPosition !== null)
    .toSorted((a, b) => a.keyPosition! - b.keyPosition!)
    .map(({ name }) => name);
}

function toColumn({ name, type, isNullable }: CatalogColumn, isKey: boolean): Column<MovedRow> {
  const own = type === "integer" ? "int" : type === "text" && !isKey ? "long text" : type;
  return [name, `${own}${isNullable ? "?" : ""}` as AnyColumnType, (row) => row[name]!];
}

export function keyIn({ key }: MovedTable, row: MovedRow): MovedKey {
  return key.map(([name]) => row[name] as string | number);
}

/** The columns of a key as a row that has no others. */
export function keyRow({ key }: MovedTable, values: MovedKey): MovedRow {
  return Object.fromEntries(key.map(([name], index) => [name, values[index]!]));
}

/** Which rows of a table, in the order of its key. */
export interface RowRange {
  /** Only later ones. */
  readonly after?: MovedKey | null;
  /** Only these and earlier ones. */
  readonly upTo?: MovedKey | null;
  /** Only those with one of these keys. */
  readonly among?: readonly MovedKey[] | undefined;
}

export interface MovedPage {
  readonly rows: readonly MovedRow[];
  /** There are no later rows in the range. */
  readonly isLast: boolean;
}

/** One page has at most so many rows, and ends with the row that fills so many bytes. */
export const PAGE_ROWS = 1_000;
export const PAGE_BYTES = 8_000_000;

/** A FROM item: the rows t of a table for the elements k of a JSON array, where they have their keys. */
export type JoinByKey = (table: string, json: string, hasKey: string) => string;

/** The statement that reads the first rows of a range, after `SELECT columns`. */
export function rangeSql(
  { name, key }: MovedTable,
  { after, upTo, among }: RowRange,
  joinByKey: JoinByKey,
): { readonly text: string; readonly values: (string | number)[] } {
  const values: (string | number)[] = [];
  const add = (value: string | number): string => `$${values.push(value)}`;
  const names = namesOf(key).map((column) => `t.${column}`);
  const conditions: string[] = [];
  const compare = (operator: string, given: MovedKey): void => {
    conditions.push(`(${names.join(", ")}) ${operator} (${given.map(add).join(", ")})`);
  };
  let from = `${name} t`;
  if (among !== undefined) {
    const hasKey = key.map(([, type], index) => {
      return `${names[index]} = CAST(k.value ->> ${index} AS ${type})`;
    });
    from = joinByKey(name, add(JSON.stringify(among)), hasKey.join(" AND "));
  }
  if (after) compare(">", after);
  if (upTo) compare("<=", upTo);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  return {
    text: `FROM ${from} ${where} ORDER BY ${names.join(", ")} LIMIT ${PAGE_ROWS}`,
    values,
  };
}
