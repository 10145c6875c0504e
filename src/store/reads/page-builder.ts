import type { Slice, SliceRequest } from "./slices.ts";

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
