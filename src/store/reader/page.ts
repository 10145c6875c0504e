export interface PageRequest {
  /** Where the previous page ended; null for the first. */
  readonly after: string | null;
  readonly count: number;
  readonly order: "latestFirst" | "earliestFirst";
  /** Longer bodies are cut in lists of log entries. */
  readonly bodyBytesMax?: number;
  /** Reserves memory for an entry that is larger than a page. */
  readonly reserve?: ((bytes: number) => Promise<void>) | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts; null when there is nothing more. */
  readonly next: string | null;
  /** How many rows were read for it; of the lists that read on where rows do not match, and not of the last page. */
  readonly rowsRead?: number;
}

/** A list reads about this many rows, then returns what it found and where to continue. */
export const ROWS_READ_MAX = 20_000;
/** A page ends early rather than hold more bytes of bodies; at least one entry. */
export const PAGE_BYTES_MAX = 4 * 1024 * 1024;
