import { rowsOf } from "./columns.ts";
import { hasKey } from "./rows-by-key.ts";

/** The columns of a key and their types, in the order of the key. */
type KeyColumns = Readonly<Record<string, "text" | "bigint">>;

/**
 * Locks the rows with the given keys one by one in key order, so that no two groups deadlock. Each
 * row is looked up by itself: given the choice, a server that believes a table to be almost empty
 * reads all of it.
 */
export function lockByKey(table: string, key: KeyColumns): string {
  const condition = hasKey(Object.keys(key));
  return `SELECT locked.* FROM (${keysInOrder(key)}) k
    CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${condition} FOR UPDATE) locked`;
}

/** Each key once, sorted; one array for each column. */
export function keysInOrder(key: KeyColumns): string {
  const columns = Object.entries(key);
  const arrays = columns.map(([name, type], index) => `${name} $${index + 1} ${type}`);
  const sorted = columns.map(([name, type]) =>
    type === "text" ? `${name} COLLATE "C" AS ${name}` : name,
  );
  const numbers = columns.map((_, index) => index + 1);
  return `SELECT DISTINCT ${sorted.join(", ")}
    FROM ${rowsOf(...arrays)} given
    ORDER BY ${numbers.join(", ")}`;
}
