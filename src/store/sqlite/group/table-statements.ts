import type { SQLInputValue } from "node:sqlite";

import type { Needs } from "../../../core/rule.ts";
import {
  allColumns,
  changedColumns,
  type Column,
  type ColumnValue,
  type LoadedTable,
  namesOf,
  type Table,
} from "../../records/table.ts";
import { loadResource, type TableLoad } from "../../group/table-loads.ts";
import { changedRows, type TableWrite, type Way } from "../../group/table-writes.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { Database } from "../thread/connection.ts";

/** The row with a key; null when there is none. */
export function loadFrom<Key, Item extends Key>(
  database: Database,
  table: LoadedTable<Key, Item>,
): (key: Key) => Item | null {
  const { name, key, beside } = table;
  const found = beside
    ? `${name}.*, ${beside.column} FROM ${name} JOIN ${beside.table} USING (${namesOf(key).join(", ")})`
    : `* FROM ${name}`;
  const find = database.prepare(`SELECT ${found} WHERE ${hasKey(table)}`);
  return (given) => {
    const row = find.get(...valuesOf(key, given));
    return row === undefined ? null : table.read(row);
  };
}

/** Loads what the rule of an act needs of the tables that are loaded by key. */
export function tableLoader(
  database: Database,
  loads: readonly TableLoad[],
): (needs: Needs, rows: WorkingSet) => void {
  const prepared = loads.map(({ name, table }) => ({ name, find: loadFrom(database, table) }));
  return (needs, rows) => {
    for (const { name, find } of prepared) {
      for (const key of needs[name] ?? []) {
        const item = find(key);
        if (item !== null) loadResource(rows, name, item);
      }
    }
  };
}

/** What a group has changed in the tables that are written by key. */
export function tableWriter(
  database: Database,
  writes: readonly TableWrite[],
): (rows: WorkingSet) => void {
  const prepared = writes.map(({ way, table, rowsIn }) => ({
    run: WAYS[way](database, table),
    rowsIn,
  }));
  return (rows) => {
    if (!rows.touchesTables) return;
    for (const each of prepared) {
      const items = changedRows(each, rows);
      if (items !== null) each.run(items);
    }
  };
}

const WAYS: Readonly<Record<Way, (database: Database, table: Table<object>) => WriteRows<object>>> =
  { add: addTo, change: changeIn, put: putInto, remove: removeFrom };

export type WriteRows<Item> = (items: Iterable<Item>) => void;

/**
 * Inserts rows, many with one statement: running one costs about as much as inserting a row.
 * `drawn` gives the values of columns that do not follow from an item.
 */
export function addTo<Key, Item extends Key>(
  database: Database,
  table: Table<Key, Item>,
  drawn: readonly Column<Item>[] = [],
): WriteRows<Item> {
  const columns = [...allColumns(table), ...drawn];
  const row = `(${columns.map(() => "?").join(", ")})`;
  const into = `INSERT INTO ${table.name} (${namesOf(columns).join(", ")}) VALUES`;
  const addOne = database.prepare(`${into} ${row}`);
  const addMany = database.prepare(`${into} ${Array(ROWS_AT_ONCE).fill(row).join(", ")}`);
  return (items) => {
    const rows = Array.from(items, (item) => valuesOf(columns, item));
    let index = 0;
    for (; index + ROWS_AT_ONCE <= rows.length; index += ROWS_AT_ONCE) {
      addMany.run(...rows.slice(index, index + ROWS_AT_ONCE).flat());
    }
    for (; index < rows.length; index++) addOne.run(...rows[index]!);
  };
}

/** Inserts rows, or replaces those with the same keys. */
export function putInto<Key, Item extends Key>(
  database: Database,
  table: Table<Key, Item>,
): WriteRows<Item> {
  return upsert(database, table, (name) => `excluded.${name}`);
}

/** Inserts rows, or adds their numbers to those with the same keys. */
export function sumInto<Key, Item extends Key>(
  database: Database,
  table: Table<Key, Item>,
): WriteRows<Item> {
  return upsert(database, table, (name) => `${name} + excluded.${name}`);
}

function upsert<Key, Item extends Key>(
  database: Database,
  table: Table<Key, Item>,
  valueOf: (name: string) => string,
): WriteRows<Item> {
  const columns = allColumns(table);
  const changes = namesOf(table.columns).map((name) => `${name} = ${valueOf(name)}`);
  const put = database.prepare(
    `INSERT INTO ${table.name} (${namesOf(columns).join(", ")})
    VALUES (${columns.map(() => "?").join(", ")})
    ON CONFLICT (${namesOf(table.key).join(", ")}) DO UPDATE SET ${changes.join(", ")}`,
  );
  return (items) => {
    for (const item of items) put.run(...valuesOf(columns, item));
  };
}

/** Changes the rows with the keys of the items, all but their fixed columns. */
export function changeIn<Key, Item extends Key>(
  database: Database,
  table: Table<Key, Item>,
): WriteRows<Item> {
  const changed = changedColumns(table);
  const changes = namesOf(changed).map((name) => `${name} = ?`);
  const change = database.prepare(
    `UPDATE ${table.name} SET ${changes.join(", ")} WHERE ${hasKey(table)}`,
  );
  return (items) => {
    for (const item of items) change.run(...valuesOf([...changed, ...table.key], item));
  };
}

export function removeFrom<Key>(database: Database, table: Table<Key, never>): WriteRows<Key> {
  const remove = database.prepare(`DELETE FROM ${table.name} WHERE ${hasKey(table)}`);
  return (keys) => {
    for (const key of keys) remove.run(...valuesOf(table.key, key));
  };
}

function hasKey<Key>({ key }: Table<Key, never>): string {
  return namesOf(key)
    .map((name) => `${name} = ?`)
    .join(" AND ");
}

function valuesOf<Item>(columns: readonly Column<Item>[], item: Item): SQLInputValue[] {
  return columns.map(([, , valueOf]) => toInput(valueOf(item)));
}

function toInput(value: ColumnValue): SQLInputValue {
  if (typeof value === "boolean") return Number(value);
  return value instanceof Uint8Array && value.byteLength === 0 ? NO_BYTES : value;
}

const ROWS_AT_ONCE = 16;
/** The SQLite of Node 22 stores NULL for bytes without memory, such as an empty body of another thread. */
const NO_BYTES = new Uint8Array(1).subarray(0, 0);
