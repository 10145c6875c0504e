import type { Json } from "../message/message.ts";

type Value = Json | readonly Value[] | string | number | boolean | null | undefined;

/**
 * A JSON document in pieces of about the same size, so that a long one is never built as one text.
 */
export function* jsonPieces(value: unknown, pieceLength = PIECE_LENGTH): Generator<string> {
  let piece = "";
  for (const part of partsOf(value as Value, DEPTH_MAX)) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** Lists are written item by item, at every depth at which they may be long. */
function* partsOf(value: Value, depth: number): Generator<string> {
  if (typeof value !== "object" || value === null || depth === 0) {
    yield JSON.stringify(value) ?? "null";
    return;
  }
  if (Array.isArray(value)) {
    let separator = "[";
    for (const item of value as readonly Value[]) {
      yield separator;
      yield* partsOf(item, depth - 1);
      separator = ",";
    }
    yield separator === "[" ? "[]" : "]";
    return;
  }
  let separator = "{";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* partsOf(member as Value, depth - 1);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

const PIECE_LENGTH = 64 * 1024;
/** The depth of a response: its runs, each with its groups of steps, each with its steps. */
const DEPTH_MAX = 7;
