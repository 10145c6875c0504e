import { type Column, type ColumnType, type ColumnValue, namesOf } from "../../records/table.ts";
import { constantColumn, nullableColumn, packed, storable } from "./columns.ts";

/**
 * Rows as parameters of a statement: an array for each column, and all long values side by side in
 * one. `relation` is a FROM item with these columns, to be given a name.
 */
export class SentRows<Item> {
  readonly relation: string;
  readonly names: readonly string[];
  /** The number of the last parameter. */
  readonly last: number;
  readonly #short: readonly Column<Item>[];
  readonly #long: readonly Column<Item>[];

  /** `last` is that of the rows before, in a statement with several. */
  constructor(columns: readonly Column<Item>[], last = 0) {
    this.names = namesOf(columns);
    this.#short = columns.filter(([, type]) => !isLong(type));
    this.#long = columns.filter(([, type]) => isLong(type));
    const text = new RelationText(last);
    for (const [name, type] of this.#short) text.addColumn(name, type);
    if (this.#long.length > 0) text.addLongColumns(this.#long);
    this.relation = text.finish();
    this.last = text.last;
  }

  values(items: Iterable<Item>): unknown[] {
    const rows = [...items];
    const values: unknown[] = this.#short.map((column) => arrayOf(rows, column));
    if (this.#long.length > 0) values.push(...this.#longValues(rows));
    return [...values, rows.length];
  }

  /** The long values in one buffer, where those of each row start, and how long each is. */
  #longValues(rows: readonly Item[]): unknown[] {
    const parts = rows.flatMap((row) => this.#long.map(([, , valueOf]) => toPart(valueOf(row))));
    const { bytes, starts, lengths } = packed(parts.map((part) => part ?? NO_BYTES));
    const width = this.#long.length;
    const lengthsOf = (offset: number): unknown[] =>
      nullableColumn(rows, (_, index) => {
        const nth = index * width + offset;
        return parts[nth] === null ? null : lengths[nth];
      });
    return [
      bytes,
      rows.map((_, index) => starts[index * width]),
      ...this.#long.map((_, offset) => lengthsOf(offset)),
    ];
  }
}

/** The text of a relation, and the parameters that it has numbered. */
class RelationText {
  last: number;
  readonly #arrays: string[] = [];
  readonly #columns: string[] = [];

  constructor(last: number) {
    this.last = last;
  }

  addColumn(name: string, type: Column<never>[1]): void {
    const array = this.#add(name, toPostgresType(type));
    this.#columns.push(isNullable(type) ? name : `coalesce(${name}, (${array})[1]) AS ${name}`);
  }

  addLongColumns(columns: readonly Column<never>[]): void {
    const bytes = `$${++this.last}::bytea`;
    this.#add("start", "int");
    let start = "start";
    for (const [name, type] of columns) {
      this.#add(`${name}_length`, "int");
      const value = `substr(${bytes}, ${start}, ${name}_length)`;
      const isText = toPostgresType(type) === "text";
      this.#columns.push(`${isText ? `convert_from(${value}, 'UTF8')` : value} AS ${name}`);
      start += ` + ${isNullable(type) ? `coalesce(${name}_length, 0)` : `${name}_length`}`;
    }
  }

  /**
   * In a SELECT list the server unnests as it reads; in FROM it materializes each array first,
   * which costs more than reading a few rows. Arrays shorter than the count are filled with nulls.
   */
  finish(): string {
    const rows = `generate_series(1, $${++this.last}::int) AS nth`;
    return `(SELECT ${this.#columns.join(", ")} FROM (SELECT ${[...this.#arrays, rows].join(", ")}) sent)`;
  }

  #add(name: string, type: string): string {
    const array = `$${++this.last}::${type}[]`;
    this.#arrays.push(`unnest(${array}) AS ${name}`);
    return array;
  }
}

function arrayOf<Item>(rows: readonly Item[], [, type, valueOf]: Column<Item>): unknown[] {
  if (type === "free text?") return nullableColumn(rows, (row) => storable(valueOf(row) as string));
  return isNullable(type)
    ? nullableColumn(rows, valueOf)
    : constantColumn(rows, valueOf as (row: Item) => string | number | boolean);
}

function toPart(value: ColumnValue): string | Uint8Array | null {
  return value as string | Uint8Array | null;
}

type AnyType = ColumnType | `${ColumnType}?`;

function isNullable(type: AnyType): boolean {
  return type.endsWith("?");
}

function isLong(type: AnyType): boolean {
  return type.startsWith("long text") || type.startsWith("bytea");
}

export function toPostgresType(type: AnyType): string {
  const plain = type.replace("?", "");
  return plain.endsWith(" text") ? "text" : plain;
}

const NO_BYTES = new Uint8Array(0);
