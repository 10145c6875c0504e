import type { ColumnValue } from "../records/table.ts";
import { allColumns, namesOf } from "../records/table.ts";
import type { Written } from "./move-ends.ts";
import {
  keyIn,
  type MovedKey,
  type MovedPage,
  type MovedRow,
  type MovedTable,
  type RowRange,
} from "./moved-table.ts";

/** The target of a move is not what its source is. Nothing has been changed in the source. */
export class MoveDiffers extends Error {}

/**
 * Of the rows that were removed or added, the target has those that were added, with every value. It is
 * given what the target has in the ranges that it asks for.
 */
export class WriteCheck {
  readonly #table: MovedTable;
  readonly #names: readonly string[];
  readonly #among: readonly MovedKey[];
  readonly #missing: Map<string, MovedRow>;
  #range: RowRange | null;

  constructor({ table, removed, added }: Written) {
    this.#table = table;
    this.#names = namesOf(allColumns(table));
    const keys = new Map(removed.map((key) => [JSON.stringify(key), key]));
    this.#missing = new Map();
    for (const row of added) {
      const key = keyIn(table, row);
      const text = JSON.stringify(key);
      keys.set(text, key);
      this.#missing.set(text, row);
    }
    this.#among = [...keys.values()];
    this.#range = keys.size === 0 ? null : { among: this.#among };
  }

  /** What is to be read next; null when all is as it should be. */
  get range(): RowRange | null {
    return this.#range;
  }

  add({ rows, isLast }: MovedPage): void {
    for (const row of rows) this.#compare(row);
    this.#range = isLast ? null : { among: this.#among, after: keyIn(this.#table, rows.at(-1)!) };
    const [missing] = this.#missing.keys();
    if (isLast && missing !== undefined) {
      throw new MoveDiffers(`the row ${missing} of ${this.#table.name} is missing`);
    }
  }

  #compare(found: MovedRow): void {
    const { name } = this.#table;
    const key = JSON.stringify(keyIn(this.#table, found));
    const row = this.#missing.get(key);
    if (row === undefined) throw new MoveDiffers(`${name} has a row too many: ${key}`);
    const differing = this.#names.find((column) => !isSame(row[column]!, found[column]!));
    if (differing !== undefined) {
      throw new MoveDiffers(`${differing} of the row ${key} of ${name} differs`);
    }
    this.#missing.delete(key);
  }
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
