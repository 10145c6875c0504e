/**
 * How many attempts toward one host may be under way on this node. A host begins with a few, gets
 * more with every answer, and fewer with every attempt that got none: a busy healthy destination
 * is not held back, and one that swallows requests never takes up what the others need.
 */
export class HostCaps {
  readonly #caps = new Map<string, number>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get initial(): number {
    return Math.min(INITIAL, this.#max);
  }

  of(host: string): number {
    return this.#caps.get(host) ?? this.initial;
  }

  answered(host: string): void {
    const cap = this.of(host);
    if (cap < this.#max) this.#set(host, cap + 1);
  }

  silent(host: string): void {
    this.#set(host, Math.max(LEAST, Math.floor(this.of(host) / 2)));
  }

  /** Hosts whose cap is no longer that of a host nobody knows. */
  get known(): Iterable<string> {
    return this.#caps.keys();
  }

  /** The hosts heard of longest ago are forgotten first. */
  #set(host: string, cap: number): void {
    this.#caps.delete(host);
    this.#caps.set(host, cap);
    if (this.#caps.size > HOSTS_MAX) this.#caps.delete(this.#caps.keys().next().value ?? "");
  }
}

const INITIAL = 32;
const LEAST = 2;
const HOSTS_MAX = 1_000;
