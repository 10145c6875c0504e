/** A page of a list. Iterating over it continues with the following pages. */
export class Page<Item> implements AsyncIterable<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined on the last one. */
  readonly cursor: string | undefined;
  readonly #next: (cursor: string) => Promise<Page<Item>>;

  constructor(
    items: readonly Item[],
    cursor: string | undefined,
    next: (cursor: string) => Promise<Page<Item>>,
  ) {
    this.items = items;
    this.cursor = cursor === "" ? undefined : cursor;
    this.#next = next;
  }

  /** A list of one page. */
  static whole<Item>(items: readonly Item[]): Page<Item> {
    return new Page(items, undefined, () => Promise.resolve(Page.whole<Item>([])));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    yield* this.items;
    let { cursor } = this;
    while (cursor !== undefined) {
      const page = await this.#next(cursor);
      yield* page.items;
      ({ cursor } = page);
    }
  }
}
