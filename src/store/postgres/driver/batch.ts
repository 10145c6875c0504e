import { type Connection, Query, types } from "pg";
import type { Row } from "../../records/rows.ts";

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

/** A column as the server describes it. */
interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** How to parse the rows of a statement. */
export interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** A row with all its keys, so that all rows have the same hidden class. */
  readonly empty: Row;
}

function shapeOf(fields: readonly Field[]): Shape {
  return {
    names: fields.map(({ name }) => name),
    parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
    empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
  };
}

function toRow({ names, parsers, empty }: Shape, texts: readonly (string | null)[]): Row {
  const row = { ...empty };
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index]!;
    if (text !== null) row[names[index]!] = parsers[index]!(text);
  }
  return row;
}

/** Instants fit a number; bodies are plain bytes, as in the SQLite driver. */
function parserOf(id: number): (text: string) => unknown {
  if (id === INT8) return Number;
  const parse = types.getTypeParser(id, "text") as (text: string) => unknown;
  if (id !== BYTEA) return parse;
  return (text) => {
    const { buffer, byteOffset, byteLength } = parse(text) as Buffer;
    return new Uint8Array(buffer, byteOffset, byteLength);
  };
}

const INT8: number = types.builtins.INT8;
const BYTEA: number = types.builtins.BYTEA;

/** A value in the form in which it is sent. */
type Parameter = string | Buffer | null;

/**
 * Like pg's own conversion, which scans each array element twice for characters to escape; writing
 * a message sends some thirty arrays.
 */
export function toParameter(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return arrayText(value);
  if (Buffer.isBuffer(value)) return value;
  if (!(value instanceof Uint8Array)) throw new TypeError("a value that has no text");
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function arrayText(elements: readonly unknown[]): string {
  let text = "";
  for (const element of elements) text += (text === "" ? "{" : ",") + elementText(element);
  return text === "" ? "{}" : `${text}}`;
}

function elementText(element: unknown): string {
  if (element === null || element === undefined) return "NULL";
  if (typeof element === "number" || typeof element === "boolean") return String(element);
  if (typeof element !== "string") throw new TypeError("an array of what has no text");
  return NEEDS_ESCAPE.test(element)
    ? `"${element.replaceAll(NEEDS_ESCAPE_ALL, "\\$&")}"`
    : `"${element}"`;
}

const NEEDS_ESCAPE = /["\\]/;
const NEEDS_ESCAPE_ALL = /["\\]/g;
