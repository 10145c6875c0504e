import { PAGE_BYTES_MAX, type Page, ROWS_LOOKED_AT_MAX } from "./reader.ts";

/** Fills a page from rows that are offered in order, within the bounds that every list has. */
export class PageBuilder<Item> {
  readonly #count: number;
  readonly #items: Item[] = [];
  #bytes = 0;
  #lookedAt = 0;
  #last: string | null = null;
  #full = false;

  constructor(count: number) {
    this.#count = count;
  }

  /** False once the page is full: the row that was just offered belongs to the next one. */
  offer(position: string, read: () => { item: Item; bytes: number } | null): boolean {
    if (this.#lookedAt === ROWS_LOOKED_AT_MAX || this.#bytes > PAGE_BYTES_MAX) {
      this.#full = true;
      return false;
    }
    const found = read();
    if (found !== null && this.#items.length === this.#count) {
      this.#full = true;
      return false;
    }
    if (found !== null) {
      this.#items.push(found.item);
      this.#bytes += found.bytes;
    }
    this.#lookedAt += 1;
    this.#last = position;
    return true;
  }

  finish(): Page<Item> {
    return { items: this.#items, next: this.#full ? this.#last : null };
  }
}
