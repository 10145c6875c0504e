/** The rows of one table in one transaction: as loaded, and as the rules have changed them. */
export class ResourceRows<Key, Row extends Key> {
  readonly #nameOf: (key: Key) => string;
  readonly #rows = new Map<string, Row>();
  /** To be written, each once. */
  readonly put = new Map<string, Row>();
  readonly removed = new Map<string, Key>();

  constructor(nameOf: (key: Key) => string) {
    this.#nameOf = nameOf;
  }

  load(row: Row): void {
    this.#rows.set(this.#nameOf(row), row);
  }

  get(key: Key): Row | null {
    return this.#rows.get(this.#nameOf(key)) ?? null;
  }

  set(row: Row): void {
    const name = this.#nameOf(row);
    this.#rows.set(name, row);
    this.put.set(name, row);
    this.removed.delete(name);
  }

  remove(key: Key): void {
    const name = this.#nameOf(key);
    this.#rows.delete(name);
    this.put.delete(name);
    this.removed.set(name, key);
  }
}
