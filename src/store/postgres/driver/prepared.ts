import type { PoolClient } from "pg";

import type { Shape } from "./shape.ts";

/** How a statement is sent on a connection. */
export interface Preparation {
  /** Empty when it is not to be prepared there. */
  readonly name: string;
  readonly isKept: boolean;
  readonly shape: Shape | null | undefined;
}

/**
 * Which connections lead straight to their server, and the names under which statements are
 * prepared there. A prepared statement is state of a session, which a pooler may give to somebody
 * else after every transaction; so it is used only where no pooler lies between. A pooler shows
 * itself: the process it says it speaks for is not the one that answers.
 */
export class Prepared {
  readonly #direct = new WeakSet<PoolClient>();
  readonly #names = new Map<string, string>();
  readonly #shapes = new Map<string, Shape | null>();
  /** The names of what a connection keeps. */
  readonly #kept = new WeakMap<PoolClient, Set<string>>();
  readonly #spoilt = new WeakSet<PoolClient>();
  #forgotten = 0;

  /** Called with the process that has answered on a connection. */
  answered(client: PoolClient, processId: number): void {
    const { processID: promised } = client as PoolClient & { readonly processID?: number | null };
    if (promised === processId) this.#direct.add(client);
    else this.#direct.delete(client);
  }

  /** From here on the connection counts as keeping the statement. */
  prepare(client: PoolClient, text: string): Preparation {
    const name = this.#direct.has(client) ? this.#nameOf(text) : "";
    if (name === "") return UNPREPARED;
    let kept = this.#kept.get(client);
    if (kept === undefined) this.#kept.set(client, (kept = new Set()));
    const isKept = kept.has(name);
    kept.add(name);
    return { name, isKept, shape: this.#shapes.get(name) };
  }

  /** How the rows of a statement are read, once it was answered. */
  learn(name: string, shape: Shape | null): void {
    if (name !== "") this.#shapes.set(name, shape);
  }

  /** Nobody knows what of it the connection keeps: something failed while it was being prepared. */
  spoil(client: PoolClient): void {
    this.#spoilt.add(client);
  }

  isSpoilt(client: PoolClient): boolean {
    return this.#spoilt.has(client);
  }

  /** What connections hold no longer fits the tables: everything is prepared anew. */
  forget(): void {
    this.#names.clear();
    this.#shapes.clear();
    this.#forgotten += 1;
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= STATEMENTS_MAX) return "";
    const name = `p${this.#forgotten}_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

const UNPREPARED: Preparation = { name: "", isKept: false, shape: undefined };
/** Each is kept by every connection. Some are put together by what they ask for, and have no end. */
const STATEMENTS_MAX = 200;
