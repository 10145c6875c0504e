import { type Connection, Query } from "pg";

import type { Row } from "../../records/rows.ts";
import type { Parameter } from "./parameter.ts";
import { type Field, type Shape, shapeOf, toRow } from "./shape.ts";

/** A statement on its way, and who waits for its answer. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Parameter[];
  /** The name under which the server keeps it; empty where it is to keep nothing. */
  readonly name: string;
  /** The server has it already. */
  readonly isKept: boolean;
  /** How its rows are read, null for no rows; undefined as long as nobody knows. */
  readonly shape: Shape | null | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface Answer {
  readonly rows: Row[];
  /** What the server has done: `UPDATE 3`. */
  readonly command: string;
  readonly shape: Shape | null;
}

/**
 * Statements that are sent and answered together, with one Sync behind them. To pg they are one query.
 * When one fails the server passes over those behind it, and all that have no answer yet fail with it.
 */
export class Batch extends Query {
  readonly statements: readonly Statement[];
  /** Read by pg. */
  readonly query_timeout: number;
  #place = 0;
  #shape: Shape | null | undefined;
  #rows: Row[] = [];

  constructor(statements: readonly Statement[], replyMs: number) {
    super({ text: "" }, nobodyWaits);
    this.statements = statements;
    this.query_timeout = replyMs;
    this.#shape = statements[0]?.shape;
  }

  /** Answers what kept it from being sent, and tells nobody else, as pg wants it. */
  override submit = (connection: Connection): unknown => {
    try {
      this.#send(connection);
      return null;
    } catch (error) {
      return error;
    }
  };

  #send(connection: Connection): void {
    for (const { text, values, name, isKept, shape } of this.statements) {
      if (!isKept) connection.parse({ name, text, types: [] }, true);
      connection.bind({ statement: name, values: values as Parameter[] }, true);
      if (shape === undefined) connection.describe({ type: "P" }, true);
      connection.execute(null, true);
    }
    connection.sync();
  }

  // What follows is called by pg as messages of the server arrive.

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#shape = shapeOf(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#shape) this.#rows.push(toRow(this.#shape, fields));
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const answered = this.statements[this.#place];
    answered?.resolve({ rows: this.#rows, command: text, shape: this.#shape ?? null });
    this.#place += 1;
    this.#rows = [];
    this.#shape = this.statements[this.#place]?.shape;
  }

  handleError(error: unknown): void {
    for (const { reject } of this.statements.slice(this.#place)) reject(error);
    this.#place = this.statements.length;
    this.#end(error);
  }

  handleReadyForQuery(): void {
    this.#end();
  }

  /** pg has put a callback of its own here by now, which stops the clock that runs for an answer. */
  #end(error?: unknown): void {
    (this as unknown as { callback: (error?: unknown) => void }).callback(error);
  }
}

/** Those who wait for answers are told one by one. */
function nobodyWaits(): void {}
