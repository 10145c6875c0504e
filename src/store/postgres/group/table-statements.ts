import {
  allColumns,
  changedColumns,
  type Column,
  namesOf,
  type Table,
} from "../../records/table.ts";
import { changedRows, type TableWrite, type Way } from "../../group/table-writes.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { Session } from "../driver/conversation.ts";
import { rowsByKey } from "./rows-by-key.ts";
import { SentRows } from "./sent-rows.ts";

/** Writes the rows of items with one statement; sends nothing when there are none. */
export type WriteRows<Item> = (session: Session, items: Iterable<Item>) => Promise<void>;

export function addTo<Key, Item extends Key>(table: Table<Key, Item>): WriteRows<Item> {
  const rows = new SentRows(allColumns(table));
  return writer(rows, addSql(table, rows));
}

/** Inserts rows, or replaces those with the same keys. */
export function putInto<Key, Item extends Key>(table: Table<Key, Item>): WriteRows<Item> {
  return upsert(table, (name) => `excluded.${name}`);
}

/** Inserts rows, or adds their numbers to those with the same keys. */
export function sumInto<Key, Item extends Key>(table: Table<Key, Item>): WriteRows<Item> {
  return upsert(table, (name) => `${table.name}.${name} + excluded.${name}`);
}

function upsert<Key, Item extends Key>(
  table: Table<Key, Item>,
  valueOf: (name: string) => string,
): WriteRows<Item> {
  const changes = namesOf(table.columns).map((name) => `${name} = ${valueOf(name)}`);
  return inKeyOrder(
    table,
    `ON CONFLICT (${namesOf(table.key).join(", ")}) DO UPDATE SET ${changes.join(", ")}`,
  );
}

/** Inserts rows, and leaves alone those that have their keys already. */
export function addMissingTo<Key, Item extends Key>(table: Table<Key, Item>): WriteRows<Item> {
  return inKeyOrder(table, "ON CONFLICT DO NOTHING");
}

/** Two groups that put the same rows take them in one order, so that they do not deadlock. */
function inKeyOrder<Key, Item extends Key>(
  table: Table<Key, Item>,
  onConflict: string,
): WriteRows<Item> {
  const rows = new SentRows(allColumns(table));
  const order = table.key.map(([name, type]) => (type === "text" ? `${name} COLLATE "C"` : name));
  return writer(rows, `${addSql(table, rows)} ORDER BY ${order.join(", ")} ${onConflict}`);
}

/** Changes the rows with the keys of the items, all but their fixed columns; see rowsByKey. */
export function changeIn<Key, Item extends Key>(table: Table<Key, Item>): WriteRows<Item> {
  const { name } = table;
  const changed = changedColumns(table);
  const rows = new SentRows([...table.key, ...changed]);
  const changes = namesOf(changed).map((column) => `${column} = given.${column}`);
  const given = rowsByKey(name, namesOf(table.key), `${rows.relation} k`);
  return writer(
    rows,
    `UPDATE ${name} SET ${changes.join(", ")} FROM ${given} given WHERE ${name}.ctid = given.ctid`,
  );
}

/** Removes the rows with the given keys; see rowsByKey. */
export function removeFrom<Key>(table: Table<Key, never>): WriteRows<Key> {
  const rows = new SentRows(table.key);
  return writer(rows, removeSql(table, rows));
}

/** `drawn` are columns that the server gives a value of its own, by name. */
export function addSql<Key, Item extends Key>(
  table: Table<Key, Item>,
  rows: SentRows<Item>,
  drawn: Readonly<Record<string, string>> = {},
): string {
  const names = namesOf(allColumns(table));
  return `INSERT INTO ${table.name} (${[...names, ...Object.keys(drawn)].join(", ")})
    SELECT ${[...names, ...Object.values(drawn)].join(", ")} FROM ${rows.relation} added`;
}

export function removeSql<Key>({ name, key }: Table<Key, never>, rows: SentRows<Key>): string {
  return `DELETE FROM ${name} USING ${rowsByKey(name, namesOf(key), `${rows.relation} k`)} removed
    WHERE ${name}.ctid = removed.ctid`;
}

/** What a group has changed in the tables that are written by key, sent without waiting. */
export function tableWriter(
  writes: readonly TableWrite[],
): (session: Session, rows: WorkingSet) => Promise<unknown> {
  const made = writes.map(({ way, table, rowsIn }) => ({ send: WAYS[way](table), rowsIn }));
  return (session, rows) => {
    const sent: Promise<void>[] = [];
    for (const each of rows.touchesTables ? made : []) {
      const items = changedRows(each, rows);
      if (items !== null) sent.push(each.send(session, items));
    }
    return Promise.all(sent);
  };
}

const WAYS: Readonly<Record<Way, (table: Table<object>) => WriteRows<object>>> = {
  add: addTo,
  change: changeIn,
  put: putInto,
  remove: removeFrom,
};

/** An array for each column. */
export function arraysOf<Item>(
  columns: readonly Column<Item>[],
  items: Iterable<Item>,
): unknown[][] {
  const rows = [...items];
  return columns.map(([, , valueOf]) => rows.map(valueOf));
}

function writer<Item>(rows: SentRows<Item>, text: string): WriteRows<Item> {
  return async (session, items) => {
    const values = rows.values(items);
    if (values.at(-1) !== 0) await session.query(text, values);
  };
}
