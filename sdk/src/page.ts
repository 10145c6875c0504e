/** A part of a list. To loop over it is to loop over the rest of the list too, page by page. */
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

  /** A list that comes in one piece. */
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
