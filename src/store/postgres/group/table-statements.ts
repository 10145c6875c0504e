import type { LineKey } from "../../../core/model/line/line.ts";
import type { Needs } from "../../../core/rule.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import {
  allColumns,
  changedColumns,
  type Column,
  type LoadedTable,
  namesOf,
  type Table,
} from "../../records/table.ts";
import { loadResource, type TableLoad } from "../../group/table-loads.ts";
import { changedRows, type TableWrite, type Way } from "../../group/table-writes.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { Session } from "../driver/conversation.ts";
import { rowsOf } from "./columns.ts";
import { hasKey, rowsByKey } from "./rows-by-key.ts";
import { SentRows, toPostgresType } from "./sent-rows.ts";

/**
 * Locks the rows with the given keys one by one in key order, so that no two groups deadlock. Each
 * row is looked up by itself: given the choice, a server that believes a table to be almost empty
 * reads all of it.
 */
export function lockByKey<Key>({ name, key, beside }: LockedTable<Key>): string {
  const names = namesOf(key);
  const locked = `FROM (${keysInOrder(key)}) k
    CROSS JOIN LATERAL (SELECT * FROM ${name} WHERE ${hasKey(names)} FOR UPDATE) locked`;
  if (beside === undefined) return `SELECT locked.* ${locked}`;
  return `SELECT locked.*, beside.${beside.column} ${locked}
    CROSS JOIN LATERAL (SELECT ${beside.column} FROM ${beside.table}
      WHERE ${hasKey(names, "locked")} FOR UPDATE) beside`;
}

type LockedTable<Key> = Pick<LoadedTable<Key>, "name" | "key" | "beside">;

/** Locks and loads the rows with the given keys, see lockByKey; sends nothing when there are none. */
export function loadFrom<Key, Item extends Key>(
  table: LoadedTable<Key, Item>,
): (session: Session, keys: readonly Key[]) => Promise<Item[]> {
  const text = lockByKey(table);
  return async (session, keys) => {
    if (keys.length === 0) return [];
    return (await session.query(text, arraysOf(table.key, keys))).map(table.read);
  };
}

/** Loads what the rules of a group need of the tables that are loaded by key. */
export function tableLoader(
  loads: readonly TableLoad[],
): (session: Session, needs: readonly Needs[], rows: WorkingSet) => Promise<unknown> {
  const made = loads.map(({ name, table }) => ({ name, find: loadFrom(table) }));
  return (session, needs, rows) =>
    Promise.all(
      made.map(async ({ name, find }) => {
        const keys = needs.flatMap((each): readonly object[] => each[name] ?? []);
        for (const item of await find(session, keys)) loadResource(rows, name, item);
      }),
    );
}

/** Each key once, sorted; one array for each column. */
function keysInOrder<Key>(key: readonly Column<Key>[]): string {
  const arrays = key.map(([name, type], index) => `${name} $${index + 1} ${toPostgresType(type)}`);
  const sorted = key.map(([name, type]) =>
    type === "text" ? `${name} COLLATE "C" AS ${name}` : name,
  );
  const numbers = key.map((_, index) => index + 1);
  return `SELECT DISTINCT ${sorted.join(", ")}
    FROM ${rowsOf(...arrays)} given
    ORDER BY ${numbers.join(", ")}`;
}

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

/** `drawn` are columns that are not sent, and the SQL of their values, by name. */
export function addSql<Key, Item extends Key>(
  { name }: Table<Key, Item>,
  rows: SentRows<Item>,
  drawn: Readonly<Record<string, string>> = {},
): string {
  return `INSERT INTO ${name} (${[...rows.names, ...Object.keys(drawn)].join(", ")})
    SELECT ${[...rows.names, ...Object.values(drawn)].join(", ")} FROM ${rows.relation} added`;
}

/** The usual values of columns that are not sent, as `addSql` takes them; null needs no column. */
export function usualValues({ usual = {} }: Table<never>): Record<string, string> {
  const values = Object.entries(usual).filter(([, value]) => value !== null);
  return Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
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

/** The keys of lines, an array for each column. */
export function lineArrays(lines: Iterable<LineKey>): unknown[][] {
  return arraysOf(LINE_LIMITS.key, lines);
}

function writer<Item>(rows: SentRows<Item>, text: string): WriteRows<Item> {
  return async (session, items) => {
    const values = rows.values(items);
    if (values.at(-1) !== 0) await session.query(text, values);
  };
}
