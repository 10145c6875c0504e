import type { PoolClient } from "pg";
import type { Shape } from "./batch.ts";

/** How a statement is sent on a connection. */
export interface Preparation {
  /** Empty when it is not prepared there. */
  readonly name: string;
  readonly isPrepared: boolean;
  readonly shape: Shape | null | undefined;
}

/**
 * Knows which connections reach their server without a pooler, and the names of prepared
 * statements. A prepared statement is session state, and a pooler may give the session to another
 * client after each transaction, so none is prepared behind one. A pooler is recognized when the
 * process id from the handshake is not that of the process that answers.
 */
export class Prepared {
  readonly #direct = new WeakSet<PoolClient>();
  readonly #names = new Map<string, string>();
  readonly #shapes = new Map<string, Shape | null>();
  /** The names of the statements that each connection has prepared. */
  readonly #preparedNames = new WeakMap<PoolClient, Set<string>>();
  readonly #spoilt = new WeakSet<PoolClient>();
  #forgotten = 0;

  /** Called with the id of the process that answered on a connection. */
  answered(client: PoolClient, processId: number): void {
    const { processID: promised } = client as PoolClient & { readonly processID?: number | null };
    if (promised === processId) this.#direct.add(client);
    else this.#direct.delete(client);
  }

  /** Its sessions belong to this client alone. */
  isDirect(client: PoolClient): boolean {
    return this.#direct.has(client);
  }

  /** From here on the connection counts as having prepared the statement. */
  prepare(client: PoolClient, text: string): Preparation {
    const name = this.#direct.has(client) ? this.#nameOf(text) : "";
    if (name === "") return UNPREPARED;
    let names = this.#preparedNames.get(client);
    if (names === undefined) this.#preparedNames.set(client, (names = new Set()));
    const isPrepared = names.has(name);
    names.add(name);
    return { name, isPrepared, shape: this.#shapes.get(name) };
  }

  /** Remembers how to parse a statement's rows. */
  learn(name: string, shape: Shape | null): void {
    if (name !== "") this.#shapes.set(name, shape);
  }

  /** A statement failed while it was being prepared, so what the connection has is unknown. */
  spoil(client: PoolClient): void {
    this.#spoilt.add(client);
  }

  isSpoilt(client: PoolClient): boolean {
    return this.#spoilt.has(client);
  }

  /** The prepared statements no longer fit the tables: all are prepared again under new names. */
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

const UNPREPARED: Preparation = { name: "", isPrepared: false, shape: undefined };
/** Every connection keeps each of them, and filters make texts in endless variety. */
const STATEMENTS_MAX = 200;
