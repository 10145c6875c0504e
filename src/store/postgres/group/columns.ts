/** Rows in the form that unnest takes: one array for each column. */
export function columnsOf<Item>(
  items: Iterable<Item>,
  ...columns: readonly ((item: Item) => unknown)[]
): unknown[][] {
  const rows = [...items];
  return columns.map((column) => rows.map(column));
}

/**
 * A column without nulls. When all rows have the same value it is sent once: unnest fills the
 * missing elements with nulls, and `orConstant` replaces them in the statement.
 */
export function constantColumn<Item>(
  items: readonly Item[],
  column: (item: Item) => string | number | boolean,
): unknown[] {
  const values = items.map(column);
  const [first] = values;
  return values.every((value) => value === first) ? values.slice(0, 1) : values;
}

export function orConstant(column: string, index: number, type: string): string {
  return `coalesce(${column}, ($${index}::${type}[])[1])`;
}

/** A column that is sent empty when all its rows are null: unnest fills in the nulls. */
export function nullableColumn<Item>(
  items: readonly Item[],
  column: (item: Item, index: number) => unknown,
): unknown[] {
  const values = items.map(column);
  return values.every((value) => value === null) ? [] : values;
}

/**
 * Arrays as rows, each given as `name $parameter type`; shorter ones are filled with nulls. In a
 * SELECT list the server unnests as it reads; in FROM it materializes each array first, which costs
 * more than reading a few rows.
 */
export function rowsOf(...columns: readonly string[]): string {
  return `(SELECT ${columns.map(toUnnest).join(", ")})`;
}

/** The same with the number `nth` of each row, from 1; no array may be longer than the last. */
export function numberedRowsOf(...columns: readonly string[]): string {
  const [, array, type] = columns.at(-1)!.split(" ");
  const nth = `generate_subscripts(${array}::${type}[], 1) AS nth`;
  return `(SELECT ${[...columns.map(toUnnest), nth].join(", ")})`;
}

function toUnnest(column: string): string {
  const [name, array, type] = column.split(" ");
  return `unnest(${array}::${type}[]) AS ${name}`;
}

export interface Packed {
  readonly bytes: Buffer;
  /** Where each part begins; the first byte is 1. */
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

/**
 * Texts and bodies of many rows as one value, with their starts. An array of them would be sent as
 * text, with every quote escaped and every byte as two letters; taking a slice of a value in memory
 * costs only the slice.
 */
export function packed(parts: readonly (string | Uint8Array)[]): Packed {
  const lengths = parts.map((part) =>
    typeof part === "string" ? Buffer.byteLength(part) : part.byteLength,
  );
  const starts: number[] = [];
  let start = 1;
  for (const length of lengths) {
    starts.push(start);
    start += length;
  }
  const bytes = Buffer.allocUnsafe(start - 1);
  for (const [index, part] of parts.entries()) {
    const from = starts[index]! - 1;
    if (typeof part === "string") bytes.write(part, from);
    else bytes.set(part, from);
  }
  return { bytes, starts, lengths };
}

/** PostgreSQL stores no NUL in texts, and an error message loses nothing without it. */
export function storable(text: string | null): string | null {
  return text?.replaceAll("\0", "") ?? null;
}
