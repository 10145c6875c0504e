import { nextTurn } from "../../platform/turn.ts";
import { PAGE_BYTES_MAX, type Page, type PageRequest, ROWS_READ_MAX } from "../reader/page.ts";

/** A part of a page. Long lists are read in parts, so that the lists of all accounts take turns. */
export interface SliceRequest extends Omit<PageRequest, "reserve"> {
  /** Rows to read. */
  readonly rowsMax: number;
  /** Bytes of bodies that fit. */
  readonly bytesMax: number;
}

export interface Slice<Item> {
  readonly items: readonly Item[];
  /** The cursor of the last row that was read; the start of the slice when none was. */
  readonly last: string | null;
  readonly rowsRead: number;
  /** The bytes of its items' bodies. */
  readonly bytes: number;
  /** Why it ended: no rows are left, enough were read, or the page is full. */
  readonly end: "no more rows" | "rows" | "page full";
  /** The bytes of an entry that did not fit; 0 when all did. */
  readonly missingBytes: number;
}

/** After this many rows other lists get their turn. */
const SLICE_ROWS_MAX = 1_000;

/** Reads one page in slices, each of which waits for its turn among other lists. */
export async function readPage<Item>(
  { reserve, ...page }: PageRequest,
  readSlice: (request: SliceRequest) => Promise<Slice<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let { after } = page;
  let bytesMax = PAGE_BYTES_MAX;
  let rowsMax = Math.min(page.count + 1, SLICE_ROWS_MAX);
  let rowsLeft = ROWS_READ_MAX;
  for (;;) {
    const count = page.count - items.length;
    const slice = await readSlice({ ...page, after, count, bytesMax, rowsMax });
    items.push(...slice.items);
    after = slice.last;
    bytesMax -= slice.bytes;
    rowsLeft -= slice.rowsRead;
    if (slice.end === "no more rows") return { items, next: null };
    // The first entry of a page is shown whatever its size.
    const isLarge = slice.missingBytes > 0 && items.length === 0;
    if (!isLarge && (slice.end === "page full" || rowsLeft <= 0)) return { items, next: after };
    if (isLarge) {
      bytesMax = slice.missingBytes;
      await reserve?.(bytesMax);
    }
    rowsMax = Math.min(rowsMax * 4, SLICE_ROWS_MAX, Math.max(rowsLeft, 1));
    await nextTurn();
  }
}
