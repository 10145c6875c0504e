/** What has changed in a map since it was last told of. */
export interface MapNews<Value> {
  /** What was told before no longer counts. */
  readonly isWhole: boolean;
  readonly set: readonly (readonly [key: string, value: Value])[];
  readonly removed: readonly string[];
}

/**
 * The side that tells. Each claim names all hosts that have been silent or have attempts under way,
 * which may be thousands, and to copy them into another thread takes longer than the claim.
 */
export class ToldMap<Value> {
  #told: ReadonlyMap<string, Value> | null = null;

  /** The map is not to be changed afterwards. Values that are the same object have not changed. */
  newsOf(map: ReadonlyMap<string, Value>): MapNews<Value> {
    const told = this.#told;
    this.#told = map;
    if (told === null) return { isWhole: true, set: [...map], removed: [] };
    const set: [string, Value][] = [];
    for (const [key, value] of map) if (told.get(key) !== value) set.push([key, value]);
    const removed: string[] = [];
    for (const key of told.keys()) if (!map.has(key)) removed.push(key);
    return { isWhole: false, set, removed };
  }

  /** It may not have arrived. */
  forget(): void {
    this.#told = null;
  }
}

/** The side that is told. */
export class HeardMap<Value> {
  readonly #map = new Map<string, Value>();

  hear({ isWhole, set, removed }: MapNews<Value>): ReadonlyMap<string, Value> {
    if (isWhole) this.#map.clear();
    for (const [key, value] of set) this.#map.set(key, value);
    for (const key of removed) this.#map.delete(key);
    return this.#map;
  }
}
