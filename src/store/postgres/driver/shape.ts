import { types } from "pg";

import type { Row } from "../../records/rows.ts";

/** A column as the server describes it. */
export interface Field {
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

export function shapeOf(fields: readonly Field[]): Shape {
  return {
    names: fields.map(({ name }) => name),
    parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
    empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
  };
}

export function toRow({ names, parsers, empty }: Shape, texts: readonly (string | null)[]): Row {
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
