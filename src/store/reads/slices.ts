import { nextTurn } from "../../platform/turn.ts";
import {
  PAGE_BYTES_MAX,
  type Page,
  type PageRequest,
  ROWS_READ_MAX,
  type Slice,
  SLICE_ROWS_MAX,
  type SliceRequest,
} from "../reader.ts";

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
