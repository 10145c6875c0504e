/** Rows as unnest wants them: one array to a column. */
export function columnsOf<Item>(
  items: Iterable<Item>,
  ...columns: readonly ((item: Item) => unknown)[]
): unknown[][] {
  const rows = [...items];
  return columns.map((column) => rows.map(column));
}

/**
 * The bodies of many rows as one value, and where each begins. An array of them would travel as
 * text, twice as long; a slice of a value that is whole in memory costs only itself.
 */
export function packBodies(
  bodies: readonly Uint8Array[],
): [packed: Buffer, starts: number[], lengths: number[]] {
  const starts: number[] = [];
  let start = 1;
  for (const body of bodies) {
    starts.push(start);
    start += body.byteLength;
  }
  return [Buffer.concat(bodies), starts, bodies.map(({ byteLength }) => byteLength)];
}

/** PostgreSQL keeps no NUL in texts; in a sentence about an error nobody misses it. */
export function storable(text: string | undefined): string | null {
  return text?.replaceAll("\0", "") ?? null;
}
