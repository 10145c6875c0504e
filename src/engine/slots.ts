import type { EngineLimits } from "./engine-options.ts";
import { HostCaps } from "./host-caps.ts";

/** What one attempt under way takes up. */
export interface Load {
  readonly host: string;
  readonly bytes: number;
  readonly isRetry: boolean;
}

/**
 * The places for attempts under way on this node: so many in all, so many toward one host, so
 * many bytes in memory, and at most half of them for retries. One dead destination therefore
 * never starves the others. A place is held until its settlement is stored, that of the host only
 * until it has answered.
 */
export class Slots {
  readonly #limits: EngineLimits;
  readonly #byHost = new Map<string, number>();
  readonly caps: HostCaps;
  #used = 0;
  #retries = 0;
  #bytes = 0;

  constructor(limits: EngineLimits) {
    this.#limits = limits;
    this.caps = new HostCaps(limits.slotsPerHost);
  }

  get used(): number {
    return this.#used;
  }
  get free(): number {
    return this.#limits.slots - this.#used;
  }
  get freeForRetries(): number {
    return Math.max(0, Math.floor(this.#limits.slots / 2) - this.#retries);
  }
  get bytesFree(): number {
    return Math.max(0, this.#limits.bytesMax - this.#bytes);
  }

  /** At least half of the slots are free, and the host and the memory have room for this one. */
  isCalm({ host, bytes }: Load): boolean {
    return (
      this.#used * 2 <= this.#limits.slots &&
      !this.isFull(host) &&
      (bytes <= this.bytesFree || this.#bytes === 0)
    );
  }

  isFull(host: string): boolean {
    return this.#left(host) <= 0;
  }

  /** More than a quarter of the host's slots are free, and more than one: some for those who wait. */
  hasPlenty(host: string): boolean {
    return this.#left(host) > Math.max(1, this.caps.of(host) / 4);
  }

  fullHosts(): string[] {
    return [...this.#byHost.keys()].filter((host) => this.isFull(host));
  }

  /** Free slots of every host that has attempts under way, or a cap of its own. */
  leftByHost(): Record<string, number> {
    const hosts = new Set([...this.#byHost.keys(), ...this.caps.known]);
    return Object.fromEntries([...hosts].map((host) => [host, Math.max(0, this.#left(host))]));
  }

  #left(host: string): number {
    return this.caps.of(host) - (this.#byHost.get(host) ?? 0);
  }

  take({ host, bytes, isRetry }: Load): void {
    this.#used += 1;
    this.#bytes += bytes;
    if (isRetry) this.#retries += 1;
    this.#byHost.set(host, (this.#byHost.get(host) ?? 0) + 1);
  }

  /** Nothing is under way to the host any more; the rest is held on. */
  leaveHost({ host }: Load): void {
    const left = (this.#byHost.get(host) ?? 1) - 1;
    if (left === 0) this.#byHost.delete(host);
    else this.#byHost.set(host, left);
  }

  /** The rest, once the host was left. */
  release({ bytes, isRetry }: Load): void {
    this.#used -= 1;
    this.#bytes -= bytes;
    if (isRetry) this.#retries -= 1;
  }
}
