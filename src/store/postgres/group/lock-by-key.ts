import { namesOf, type Table } from "../../records/table.ts";
import { rowsOf } from "./columns.ts";
import { hasKey } from "./rows-by-key.ts";
import { toPostgresType } from "./sent-rows.ts";

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
