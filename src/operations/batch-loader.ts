interface Waiting<Value> {
  readonly key: string;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** Keys of one query. */
const KEYS_MAX = 500;

/** Loads many keys in one query: while one query runs, the next one collects keys. */
export class BatchLoader<Value> {
  readonly #load: (keys: readonly string[]) => Promise<readonly Value[]>;
  readonly #waiting: Waiting<Value>[] = [];
  #isAsking = false;

  /** `load` answers in the order of the keys. */
  constructor(load: (keys: readonly string[]) => Promise<readonly Value[]>) {
    this.#load = load;
  }

  ask(key: string): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (!this.#isAsking) void this.#askAll();
    });
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) await this.#askSome(this.#waiting.splice(0, KEYS_MAX));
    this.#isAsking = false;
  }

  async #askSome(asked: readonly Waiting<Value>[]): Promise<void> {
    try {
      const values = await this.#load(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
