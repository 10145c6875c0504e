import type { ColumnValue } from "../records/table.ts";
import { allColumns, namesOf } from "../records/table.ts";
import { keyIn, type MovedRow, type MovedTable } from "./moved-table.ts";

/** The target of a move is not what its source is. Nothing has been changed in the source. */
export class MoveDiffers extends Error {}

/** Compares every value of rows that have the same keys in both stores. */
export function requireSame(
  table: MovedTable,
  expected: readonly MovedRow[],
  found: readonly MovedRow[],
): void {
  const byKey = new Map(found.map((row) => [JSON.stringify(keyIn(table, row)), row]));
  const names = namesOf(allColumns(table));
  for (const row of expected) {
    const key = JSON.stringify(keyIn(table, row));
    const other = byKey.get(key);
    if (other === undefined) throw new MoveDiffers(`the row ${key} of ${table.name} is missing`);
    const differing = names.find((name) => !isSame(row[name]!, other[name]!));
    if (differing !== undefined) {
      throw new MoveDiffers(`${differing} of the row ${key} of ${table.name} differs`);
    }
    byKey.delete(key);
  }
  const [extra] = byKey.keys();
  if (extra !== undefined) throw new MoveDiffers(`${table.name} has a row too many: ${extra}`);
}

export function requireCounts(
  tables: readonly MovedTable[],
  expected: readonly number[],
  found: readonly number[],
): void {
  for (const [index, { name }] of tables.entries()) {
    if (expected[index] === found[index]) continue;
    throw new MoveDiffers(`${name} has ${found[index]} rows where ${expected[index]} were`);
  }
}

function isSame(one: ColumnValue, other: ColumnValue): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    return Buffer.compare(one, other) === 0;
  }
  return one === other;
}
