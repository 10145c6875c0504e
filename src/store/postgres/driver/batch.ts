import { type Connection, Query } from "pg";

import type { Row } from "../../records/rows.ts";
import type { Parameter } from "./parameter.ts";
import { type Field, type Shape, shapeOf, toRow } from "./shape.ts";

/** A statement that was sent, and the promise of its answer. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Parameter[];
  /** The server's name for the prepared statement; empty when it is not prepared. */
  readonly name: string;
  /** The server has prepared it already. */
  readonly isPrepared: boolean;
  /** How its rows are parsed, null for no rows; undefined until the server has described them. */
  readonly shape: Shape | null | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface Answer {
  readonly rows: Row[];
  /** The server's command tag: `UPDATE 3`. */
  readonly command: string;
  readonly shape: Shape | null;
}

/**
 * Statements that are sent and answered together, with one Sync behind them; to pg they are one
 * query. When one fails the server skips the rest, and all statements without an answer fail with
 * it.
 */
export class Batch extends Query {
  readonly statements: readonly Statement[];
  /** Read by pg. */
  readonly query_timeout: number;
  #index = 0;
  #shape: Shape | null | undefined;
  #rows: Row[] = [];

  constructor(statements: readonly Statement[], replyMs: number) {
    super({ text: "" }, ignoreEnd);
    this.statements = statements;
    this.query_timeout = replyMs;
    this.#shape = statements[0]?.shape;
  }

  /** Returns the error that kept it from being sent, as pg expects. */
  override submit = (connection: Connection): unknown => {
    try {
      this.#send(connection);
      return null;
    } catch (error) {
      return error;
    }
  };

  #send(connection: Connection): void {
    for (const { text, values, name, isPrepared, shape } of this.statements) {
      if (!isPrepared) connection.parse({ name, text, types: [] }, true);
      connection.bind({ statement: name, values: values as Parameter[] }, true);
      if (shape === undefined) connection.describe({ type: "P" }, true);
      connection.execute(null, true);
    }
    connection.sync();
  }

  // pg calls the following as messages of the server arrive.

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#shape = shapeOf(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#shape) this.#rows.push(toRow(this.#shape, fields));
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const answered = this.statements[this.#index];
    answered?.resolve({ rows: this.#rows, command: text, shape: this.#shape ?? null });
    this.#index += 1;
    this.#rows = [];
    this.#shape = this.statements[this.#index]?.shape;
  }

  handleError(error: unknown): void {
    for (const { reject } of this.statements.slice(this.#index)) reject(error);
    this.#index = this.statements.length;
    this.#end(error);
  }

  handleReadyForQuery(): void {
    this.#end();
  }

  /** By now pg has put its own callback here, which stops the reply timeout. */
  #end(error?: unknown): void {
    (this as unknown as { callback: (error?: unknown) => void }).callback(error);
  }
}

/** Each statement has a promise of its own. */
function ignoreEnd(): void {}
