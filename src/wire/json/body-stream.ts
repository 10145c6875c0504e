import { base64Of } from "../message/body.ts";
import type { Json } from "../message/message.ts";

/**
 * The parts of a body, read anew each time; all but the last are a multiple of three bytes long.
 */
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
