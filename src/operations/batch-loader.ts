import type { Clock } from "../platform/clock.ts";

interface Waiting<Value> {
  readonly key: string;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** Keys of one query. */
const KEYS_MAX = 500;
/** A query may be on a connection that has gone silent: after this long the next one starts beside it. */
const LATE_MS = 500;
const QUERIES_MAX = 8;

/** Loads many keys in one query: while one query runs, the next one collects keys. */
export class BatchLoader<Value> {
  readonly #load: (keys: readonly string[]) => Promise<readonly Value[]>;
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting: Waiting<Value>[] = [];
  #underWay = 0;
  #late = 0;

  /** `load` answers in the order of the keys. */
  constructor(
    load: (keys: readonly string[]) => Promise<readonly Value[]>,
    clock: Pick<Clock, "after">,
  ) {
    this.#load = load;
    this.#clock = clock;
  }

  ask(key: string): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      this.#askNext();
    });
  }

  #askNext(): void {
    if (this.#waiting.length === 0) return;
    if (this.#underWay > this.#late || this.#underWay === QUERIES_MAX) return;
    void this.#askSome(this.#waiting.splice(0, KEYS_MAX));
  }

  async #askSome(asked: readonly Waiting<Value>[]): Promise<void> {
    let isLate = false;
    this.#underWay += 1;
    const cancel = this.#clock.after(LATE_MS, () => {
      isLate = true;
      this.#late += 1;
      this.#askNext();
    });
    try {
      const values = await this.#load(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    cancel();
    this.#underWay -= 1;
    if (isLate) this.#late -= 1;
    this.#askNext();
  }
}
