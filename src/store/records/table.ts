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
  /** Values with which nearly all rows are added; a driver may leave these columns out. */
  readonly usual?: Readonly<Record<string, UsualValue>>;
}

/** A table whose rows are loaded by their keys as well. */
export interface LoadedTable<Key, Item extends Key = Key> extends Table<Key, Item> {
  readonly read: (row: Row) => Item;
  /** A column that is read too, of another table with the same keys. */
  readonly beside?: { readonly table: string; readonly column: string };
}

/** Its name, its type (`?` when it may be null) and its value in the row of an item. */
export type Column<Item> = readonly [
  name: string,
  type: AnyColumnType,
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

export type AnyColumnType = ColumnType | `${ColumnType}?`;

export type ColumnValue = string | number | boolean | Uint8Array | null;

export type UsualValue = number | boolean | null;

export function allColumns<Key, Item extends Key>(table: Table<Key, Item>): Column<Item>[] {
  return [...table.key, ...table.columns];
}

/** The key, and what may change. */
export function changedColumns<Key, Item extends Key>(table: Table<Key, Item>): Column<Item>[] {
  return table.columns.filter(([name]) => table.fixed?.includes(name) !== true);
}

/** The columns without those that have a usual value. */
export function unusualColumns<Key, Item extends Key>(table: Table<Key, Item>): Column<Item>[] {
  return allColumns(table).filter(([name]) => !(name in (table.usual ?? {})));
}

export function namesOf(columns: readonly Column<never>[]): string[] {
  return columns.map(([name]) => name);
}

/** How a member is stored: as it is, in a column of this type, or as text or a number made of it. */
type Stored<Value> =
  | AnyColumnType
  | {
      readonly type: AnyColumnType;
      readonly write: (value: Value) => ColumnValue;
      readonly read: (stored: never) => Value;
    };

/**
 * A table with a column for each member of an item, written and read alike. A column has the name of
 * its member: `created_at` is `createdAt`.
 */
export function tableOf<Key, Item extends Key>(
  name: string,
  key: readonly (keyof Key)[],
  members: { readonly [Member in keyof Item]-?: Stored<Item[Member]> },
): LoadedTable<Key, Item> {
  const made = (Object.entries(members) as [keyof Item & string, Stored<unknown>][]).map(
    ([member, stored]) => {
      const { type, write, read } = typeof stored === "string" ? asItIs(stored) : stored;
      const column = columnOf(member);
      const valueOf = (item: Item): ColumnValue => write(item[member]);
      return { member, read: (row: Row) => read(row[column] as never), valueOf, column, type };
    },
  );
  const columns = made.map(({ column, type, valueOf }): Column<Item> => [column, type, valueOf]);
  const isOfKey = made.map(({ member }) => (key as readonly string[]).includes(member));
  return {
    name,
    key: columns.filter((_, index) => isOfKey[index]) as unknown[] as Column<Key>[],
    columns: columns.filter((_, index) => !isOfKey[index]),
    read: (row) => {
      const item: Record<string, unknown> = {};
      for (const { member, read } of made) item[member] = read(row);
      return item as Item;
    },
  };
}

export function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function asItIs(type: AnyColumnType) {
  // SQLite has no booleans.
  const read = type === "boolean" ? Boolean : (stored: unknown) => stored;
  return { type, write: (value: unknown) => value as ColumnValue, read };
}
