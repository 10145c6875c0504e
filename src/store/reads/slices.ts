import { ownTurn } from "../../platform/turn.ts";
import { PAGE_BYTES_MAX, type Page, type PageRequest, ROWS_READ_MAX } from "../reader/page.ts";

/** A part of a page. Long lists are read in parts, so that the lists of all accounts take turns. */
export interface SliceRequest extends Omit<PageRequest, "reserve"> {
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
/** Rows that are items cost more than rows that are passed by: they are decoded, and copied to the reader's thread. */
const SLICE_ITEMS_MAX = 200;

/** Reads one page in slices, each of which waits for its turn among other lists. */
export async function readPage<Item>(
  { reserve, ...page }: PageRequest,
  readSlice: (request: SliceRequest) => Promise<Slice<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let { after } = page;
  let bytesMax = PAGE_BYTES_MAX;
  let rowsMax = Math.min(page.count + 1, SLICE_ITEMS_MAX);
  let rowsLeft = ROWS_READ_MAX;
  for (;;) {
    const count = page.count - items.length;
    const start = after;
    const slice = await readSlice({ ...page, after, count, bytesMax, rowsMax });
    items.push(...slice.items);
    after = slice.last;
    bytesMax -= slice.bytes;
    rowsLeft -= slice.rowsRead;
    if (slice.end === "no more rows") return { items, next: null };
    // The first entry of a page is shown whatever its size.
    const isLarge = slice.missingBytes > 0 && items.length === 0;
    if (!isLarge && (slice.end === "page full" || rowsLeft <= 0)) {
      return { items, next: after, rowsRead: ROWS_READ_MAX - rowsLeft };
    }
    if (isLarge) {
      bytesMax = slice.missingBytes;
      await reserve?.(bytesMax);
    }
    // A part may be too small to come to the next position.
    const areItems = after !== start && 2 * slice.items.length >= slice.rowsRead;
    const next = areItems
      ? Math.min(page.count - items.length + 1, SLICE_ITEMS_MAX)
      : Math.min(rowsMax * 4, SLICE_ROWS_MAX);
    rowsMax = Math.min(next, Math.max(rowsLeft, 1));
    await ownTurn();
  }
}

/** An entry of a list, and its size before it is read. */
export interface Candidate<Item> {
  readonly bytes: number;
  readonly read: () => Item;
}

/** Fills a part of a page from rows that are offered in order, within the given limits. */
export class PageBuilder<Item> {
  readonly #request: Pick<SliceRequest, "count" | "rowsMax" | "bytesMax">;
  readonly #items: Item[] = [];
  #bytes = 0;
  #rowsRead = 0;
  #last: string | null;
  #end: Slice<Item>["end"] = "no more rows";
  #missingBytes = 0;

  constructor(request: Pick<SliceRequest, "after" | "count" | "rowsMax" | "bytesMax">) {
    this.#request = request;
    this.#last = request.after;
  }

  /** False once the page is full: the row just offered belongs to the next part. */
  offer(position: string, find: () => Candidate<Item> | null): boolean {
    const { count, rowsMax, bytesMax } = this.#request;
    if (this.#rowsRead === rowsMax) return this.#finishBecause("rows");
    const found = find();
    if (found !== null) {
      if (this.#items.length === count) return this.#finishBecause("page full");
      if (this.#bytes + found.bytes > bytesMax) {
        this.#missingBytes = found.bytes;
        return this.#finishBecause("page full");
      }
      this.#items.push(found.read());
      this.#bytes += found.bytes;
    }
    this.#rowsRead += 1;
    this.#last = position;
    return true;
  }

  /** There are more rows than were offered. A page that is full needs none of them. */
  finishEarly(): Slice<Item> {
    if (this.#end === "no more rows") this.#finishBecause("rows");
    return this.finish();
  }

  finish(): Slice<Item> {
    return {
      items: this.#items,
      last: this.#last,
      rowsRead: this.#rowsRead,
      bytes: this.#bytes,
      end: this.#end,
      missingBytes: this.#missingBytes,
    };
  }

  #finishBecause(end: Slice<Item>["end"]): false {
    this.#end = end;
    return false;
  }
}
