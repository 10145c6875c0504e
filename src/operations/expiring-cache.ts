import type { Clock } from "../platform/clock.ts";

export interface RememberedOptions<Value> {
  readonly clock: Clock;
  readonly keepMs: number;
  readonly countMax: number;
  readonly load: (key: string) => Promise<Value | null>;
}

interface CacheEntry<Value> {
  readonly value: Value;
  readonly until: number;
}

/**
 * What was asked of the store lately. It answers at once when it knows, asks once for all who wait,
 * and never remembers that there was nothing.
 */
export class ExpiringCache<Value> {
  readonly #options: RememberedOptions<Value>;
  readonly #kept = new Map<string, CacheEntry<Value>>();
  readonly #asked = new Map<string, Promise<Value | null>>();

  constructor(options: RememberedOptions<Value>) {
    this.#options = options;
  }

  get(key: string): Value | Promise<Value | null> {
    return this.known(key) ?? this.#ask(key);
  }

  /** Null when it would have to ask. */
  known(key: string): Value | null {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.until <= this.#options.clock.monotonic()) return null;
    return kept.value;
  }

  forgetAll(): void {
    this.#kept.clear();
    this.#asked.clear();
  }

  forget(key: string): void {
    this.#kept.delete(key);
    // An answer that is on its way may be older than the change that is to be seen.
    this.#asked.delete(key);
  }

  #ask(key: string): Promise<Value | null> {
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const answer = this.#load(key).finally(() => {
      if (this.#asked.get(key) === answer) this.#asked.delete(key);
    });
    this.#asked.set(key, answer);
    return answer;
  }

  async #load(key: string): Promise<Value | null> {
    // Counted from before the question, so that an answer is never older than it may be.
    const until = this.#options.clock.monotonic() + this.#options.keepMs;
    const value = await this.#options.load(key);
    if (value !== null && this.#asked.has(key)) this.#keep(key, { value, until });
    return value;
  }

  #keep(key: string, kept: CacheEntry<Value>): void {
    if (this.#kept.size >= this.#options.countMax) this.#kept.clear();
    this.#kept.set(key, kept);
  }
}
