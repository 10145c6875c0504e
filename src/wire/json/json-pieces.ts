import { base64Of } from "../message/body.ts";
import type { Json } from "../message/message.ts";

type Value = Json | readonly Value[] | string | number | boolean | null | undefined;

/** A JSON document in pieces of about one size, so that a long one is never one text. */
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

/** The parts of a body, read anew each time; all but the last are a multiple of 3 bytes long. */
export type BodyParts = () => AsyncIterable<Uint8Array>;

/** The JSON of an object with a body that is too large to hold as one text, in pieces. */
export async function* jsonWithBody(value: Json, parts: BodyParts): AsyncGenerator<string> {
  const isText = await areText(parts());
  const head = JSON.stringify(value).slice(0, -1);
  yield `${head},"${isText ? "body" : "bodyBase64"}":"`;
  yield* isText ? escaped(parts()) : encoded(parts());
  yield '"}';
}

/** Whether the parts are UTF-8 together. */
async function areText(parts: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = newDecoder();
  try {
    for await (const part of parts) decoder.decode(part, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function* escaped(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = newDecoder();
  for await (const part of parts) {
    yield JSON.stringify(decoder.decode(part, { stream: true })).slice(1, -1);
  }
}

async function* encoded(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const part of parts) yield base64Of(part);
}

function newDecoder(): InstanceType<typeof TextDecoder> {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}
