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
 * Caches values of the store for a short time. It returns cached values at once, loads once for all
 * waiting callers, and never caches an absent value.
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

  /** Null when the value is not cached. */
  known(key: string): Value | null {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.until <= this.#options.clock.monotonic()) return null;
    return kept.value;
  }

  forget(key: string): void {
    this.#kept.delete(key);
    // A load in progress may be older than the change, so its result is not used.
    this.#asked.delete(key);
  }

  async #ask(key: string): Promise<Value | null> {
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    // Counted from before the load, so that a value is never older than allowed.
    const until = this.#options.clock.monotonic() + this.#options.keepMs;
    const loading = this.#options.load(key);
    this.#asked.set(key, loading);
    try {
      const value = await loading;
      if (value !== null && this.#asked.get(key) === loading) this.#keep(key, { value, until });
      return value;
    } finally {
      if (this.#asked.get(key) === loading) this.#asked.delete(key);
    }
  }

  #keep(key: string, kept: CacheEntry<Value>): void {
    if (this.#kept.size >= this.#options.countMax) this.#kept.clear();
    this.#kept.set(key, kept);
  }
}
