import { type LoadedTable, namesOf, type Table } from "../../records/table.ts";
import type { Session } from "../driver/conversation.ts";
import { rowsOf } from "./columns.ts";
import { hasKey } from "./rows-by-key.ts";
import { toPostgresType } from "./sent-rows.ts";
import { arraysOf } from "./table-statements.ts";

/**
 * Locks the rows with the given keys one by one in key order, so that no two groups deadlock. Each
 * row is looked up by itself: given the choice, a server that believes a table to be almost empty
 * reads all of it.
 */
export function lockByKey<Key>(table: Table<Key, never>): string {
  const condition = hasKey(namesOf(table.key));
  return `SELECT locked.* FROM (${keysInOrder(table)}) k
    CROSS JOIN LATERAL (SELECT * FROM ${table.name} WHERE ${condition} FOR UPDATE) locked`;
}

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

/** Each key once, sorted; one array for each column. */
function keysInOrder<Key>({ key }: Table<Key, never>): string {
  const arrays = key.map(([name, type], index) => `${name} $${index + 1} ${toPostgresType(type)}`);
  const sorted = key.map(([name, type]) =>
    type === "text" ? `${name} COLLATE "C" AS ${name}` : name,
  );
  const numbers = key.map((_, index) => index + 1);
  return `SELECT DISTINCT ${sorted.join(", ")}
    FROM ${rowsOf(...arrays)} given
    ORDER BY ${numbers.join(", ")}`;
}
