import type { Row } from "./rows.ts";

/**
 * A table as the groups of both drivers write it. Each column is declared once; the drivers make
 * their statements and parameters from it.
 */
export interface Table<Key, Item extends Key = Key> {
  readonly name: string;
  readonly key: readonly Column<Key>[];
  /** The columns besides the key. */
  readonly columns: readonly Column<Item>[];
  /** Columns that keep the value with which the row was added. */
  readonly fixed?: readonly string[];
}

/** A table whose rows are loaded by their keys as well. */
export interface LoadedTable<Key, Item extends Key = Key> extends Table<Key, Item> {
  readonly read: (row: Row) => Item;
}

/** Its name, its type (`?` when it may be null) and its value in the row of an item. */
export type Column<Item> = readonly [
  name: string,
  type: ColumnType | `${ColumnType}?`,
  valueOf: (item: Item) => ColumnValue,
];

/**
 * PostgreSQL's types. `long text` and `bytea` may be large, and are sent side by side; of `free text`
 * PostgreSQL stores all but NUL.
 */
export type ColumnType =
  | "text"
  | "free text"
  | "long text"
  | "bytea"
  | "smallint"
  | "int"
  | "bigint"
  | "boolean";

export type ColumnValue = string | number | boolean | Uint8Array | null;

export function allColumns<Key, Item extends Key>(table: Table<Key, Item>): Column<Item>[] {
  return [...table.key, ...table.columns];
}

/** The key, and what may change. */
export function changedColumns<Key, Item extends Key>(table: Table<Key, Item>): Column<Item>[] {
  return table.columns.filter(([name]) => table.fixed?.includes(name) !== true);
}

export function namesOf(columns: readonly Column<never>[]): string[] {
  return columns.map(([name]) => name);
}
