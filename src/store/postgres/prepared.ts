import type { PoolClient } from "pg";

/**
 * Which connections lead straight to their server, and the names under which statements are
 * prepared there. A prepared statement is state of a session, which a pooler may give to somebody
 * else after every transaction; so it is used only where no pooler lies between. A pooler shows
 * itself: the process it says it speaks for is not the one that answers.
 */
export class Prepared {
  readonly #direct = new WeakSet<PoolClient>();
  readonly #names = new Map<string, string>();
  #forgotten = 0;

  /** Called with the process that has answered on a connection. */
  answered(client: PoolClient, processId: number): void {
    const { processID: promised } = client as PoolClient & { readonly processID?: number | null };
    if (promised === processId) this.#direct.add(client);
    else this.#direct.delete(client);
  }

  /** Undefined when the statement is not to be prepared on this connection. */
  nameOf(client: PoolClient, text: string): string | undefined {
    if (!this.#direct.has(client)) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= STATEMENTS_MAX) return known;
    const name = `p${this.#forgotten}_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /** What connections hold no longer fits the tables: everything is prepared anew. */
  forget(): void {
    this.#names.clear();
    this.#forgotten += 1;
  }
}

/** Each is kept by every connection. Some are put together by what they ask for, and have no end. */
const STATEMENTS_MAX = 200;
