/** Rows as unnest wants them: one array to a column. */
export function columnsOf<Item>(
  items: Iterable<Item>,
  ...columns: readonly ((item: Item) => unknown)[]
): unknown[][] {
  const rows = [...items];
  return columns.map((column) => rows.map(column));
}

/**
 * A column without nulls. Where all rows have the same value it travels once: unnest fills up what
 * is missing with nulls, in whose place the statement puts it again with `sameOr`.
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

/** A column that is often null: unnest fills up what is missing. */
export function nullableColumn<Item>(
  items: readonly Item[],
  column: (item: Item, index: number) => unknown,
): unknown[] {
  const values = items.map(column);
  return values.every((value) => value === null) ? [] : values;
}

/**
 * Arrays as rows, each of them `name $place type`; those that are shorter are filled up with nulls. In
 * the list of a SELECT the server reads arrays as it goes, where unnest in FROM puts each of them aside
 * first, which takes it longer than a few rows are worth.
 */
export function rowsOf(...columns: readonly string[]): string {
  return `(SELECT ${columns.map(toUnnest).join(", ")})`;
}

/** The same with the place of each row, 1 for the first; the last array is to be as long as any. */
export function placedRowsOf(...columns: readonly string[]): string {
  const [, array, type] = columns.at(-1)!.split(" ");
  const places = `generate_subscripts(${array}::${type}[], 1) AS place`;
  return `(SELECT ${[...columns.map(toUnnest), places].join(", ")})`;
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
 * Texts and bodies of many rows as one value, and where each begins. An array of them would travel
 * as text, with every quote escaped and every byte as two letters; a slice of a value that is whole
 * in memory costs only itself.
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

/** The bodies of many rows as one value, with where each begins and how long it is. */
export function packBodies(
  bodies: readonly Uint8Array[],
): [packed: Buffer, starts: readonly number[], lengths: readonly number[]] {
  const { bytes, starts, lengths } = packed(bodies);
  return [bytes, starts, lengths];
}

/** PostgreSQL keeps no NUL in texts; in a sentence about an error nobody misses it. */
export function storable(text: string | undefined): string | null {
  return text?.replaceAll("\0", "") ?? null;
}
