/** Sessions of earlier connections, which spare a later one half of its handshake. */
export class TlsSessions {
  /** Those that were given first come first. */
  readonly #byTarget = new Map<string, Buffer>();

  keep(target: string, session: Buffer): void {
    this.#byTarget.delete(target);
    this.#byTarget.set(target, session);
    if (this.#byTarget.size <= TLS_SESSIONS_MAX) return;
    for (const oldest of this.#byTarget.keys()) return void this.#byTarget.delete(oldest);
  }

  take(target: string): Buffer | undefined {
    return this.#byTarget.get(target);
  }
}

/** Targets whose sessions are kept. */
export const TLS_SESSIONS_MAX = 1_000;
