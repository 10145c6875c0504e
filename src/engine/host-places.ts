import { HostCaps } from "./host-caps.ts";

/** Somebody's place toward a host that has none free. */
export interface Turn {
  /** False when it was given up before it came. */
  readonly came: Promise<boolean>;
  readonly giveUp: () => void;
}

interface Host {
  /** Attempts under way to it. */
  taken: number;
  /** Messages that will be sent to it once they are stored. */
  promised: number;
  readonly waiting: Set<(came: boolean) => void>;
}

/**
 * The places of hosts: how many attempts are under way to each, who was promised one, and who waits
 * for one. A promise takes up no place. It is kept soon after, and most of those that were made are
 * waiting for the disk then; counted as attempts they would keep out others while a quick host is
 * idle. Should too many be kept at once, they take turns.
 */
export class HostPlaces {
  readonly #caps: HostCaps;
  readonly #hosts = new Map<string, Host>();

  constructor(max: number) {
    this.#caps = new HostCaps(max);
  }

  /** How many a host has that nobody has heard of. */
  get initial(): number {
    return this.#caps.initial;
  }

  left(host: string): number {
    const known = this.#hosts.get(host);
    const cap = this.#caps.of(host);
    return known === undefined ? cap : cap - known.taken - known.waiting.size;
  }

  isFull(host: string): boolean {
    return this.left(host) <= 0;
  }

  full(): string[] {
    return [...this.#hosts.keys()].filter((host) => this.isFull(host));
  }

  /** More than a quarter of the host's places are free, and more than one: some for those who wait. */
  hasPlenty(host: string): boolean {
    return this.left(host) > Math.max(1, this.#caps.of(host) / 4);
  }

  /** Free places of every host that has attempts under way, or a cap of its own. */
  leftByHost(): Record<string, number> {
    const hosts = new Set([...this.#hosts.keys(), ...this.#caps.known]);
    return Object.fromEntries([...hosts].map((host) => [host, Math.max(0, this.left(host))]));
  }

  mayPromise(host: string): boolean {
    const promised = this.#hosts.get(host)?.promised ?? 0;
    return !this.isFull(host) && promised < this.#caps.of(host);
  }

  promise(host: string): void {
    this.#of(host).promised += 1;
  }

  /** It is kept now, or will not be. */
  endPromise(host: string): void {
    this.#of(host).promised -= 1;
    this.#forgetUnused(host);
  }

  /** Takes a place, or answers whose turn it will be. */
  enter(host: string): Turn | null {
    const entered = this.#of(host);
    if (!this.isFull(host)) {
      entered.taken += 1;
      return null;
    }
    const { promise: came, resolve } = Promise.withResolvers<boolean>();
    entered.waiting.add(resolve);
    const giveUp = (): void => {
      if (entered.waiting.delete(resolve)) resolve(false);
      this.#forgetUnused(host);
    };
    return { came, giveUp };
  }

  leave(host: string): void {
    this.#of(host).taken -= 1;
    this.#letIn(host);
    this.#forgetUnused(host);
  }

  /** The host has answered: it may have one more. */
  answered(host: string): void {
    this.#caps.answered(host);
    this.#letIn(host);
  }

  /** Nothing came from the host. Whoever waits for a place might wait for long. */
  silent(host: string): void {
    this.#caps.silent(host);
    this.#dismiss(host);
  }

  /** Nobody is let in any more who waits. */
  dismissAll(): void {
    for (const host of this.#hosts.keys()) this.#dismiss(host);
  }

  #dismiss(host: string): void {
    const known = this.#hosts.get(host);
    if (known === undefined) return;
    for (const resolve of known.waiting) resolve(false);
    known.waiting.clear();
    this.#forgetUnused(host);
  }

  #letIn(host: string): void {
    const known = this.#hosts.get(host);
    if (known === undefined) return;
    for (const resolve of known.waiting) {
      if (known.taken >= this.#caps.of(host)) return;
      known.waiting.delete(resolve);
      known.taken += 1;
      resolve(true);
    }
  }

  #of(host: string): Host {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const added = { taken: 0, promised: 0, waiting: new Set<(came: boolean) => void>() };
    this.#hosts.set(host, added);
    return added;
  }

  #forgetUnused(host: string): void {
    const known = this.#hosts.get(host);
    if (known === undefined || known.taken + known.promised + known.waiting.size > 0) return;
    this.#hosts.delete(host);
  }
}
