import { MESSAGES } from "../../records/message-tables.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import { namesOf } from "../../records/table.ts";

/**
 * The keys of `given`, a FROM item named k, each with the `ctid` of its row in the table. A row is
 * looked up by itself and then changed or removed by `ctid`: given the choice, a server that
 * believes a table to be almost empty reads all of it. Only for rows that this transaction has
 * locked, or where a row that another transaction changes at the same time may be skipped.
 */
export function rowsByKey(table: string, key: readonly string[], given: string): string {
  return `(SELECT k.*, row.ctid FROM ${given}
    CROSS JOIN LATERAL (SELECT ctid FROM ${table} WHERE ${hasKey(key)} OFFSET 0) row)`;
}

/** Joins the row of a table with the key of k, if any, by a plan the server cannot change. */
export function withRow(table: string, key: readonly string[], name: string): string {
  return `LEFT JOIN LATERAL (SELECT * FROM ${table} WHERE ${hasKey(key)} OFFSET 0) ${name} ON true`;
}

/**
 * A condition: the first columns of an index have the given values. Said in this way, with the
 * columns in ORDER BY, only this index serves, whatever the server believes of the table.
 */
export function isAt(columns: readonly string[], values: readonly string[]): string {
  const [row, given] = [columns.join(", "), values.join(", ")];
  return `(${row}) >= (${given}) AND (${row}) <= (${given})`;
}

/** A condition: a row has the key of another. */
export function hasKey(key: readonly string[], other = "k"): string {
  return key.map((column) => `${column} = ${other}.${column}`).join(" AND ");
}

export const MESSAGE_KEY = namesOf(MESSAGES.key);
/** The index log_entries_message, without the number that it ends with. */
export const LOG_OF_MESSAGE = ["account_id", "message_id"] as const;
/** Of lines and of their limits. */
export const LINE_KEY = namesOf(LINE_LIMITS.key);
